/**
 * What changed in a pod, as YAML lines marked + and -, each with the reason under it.
 *
 * Only what changed is shown, with the keys that lead to it. Elements of lists are matched by their name, so a container
 * that moved does not look like another one.
 */
import { stringify } from "yaml";
import { PROXY_CONFIG } from "../pod/annotations.ts";
import { isObject, type JsonObject, type JsonValue, sameJson, valueAt } from "../pod/json.ts";
import type { Reasons } from "./because.ts";

/** A line of the diff. */
export interface DiffLine {
  readonly mark: "+" | "-" | " ";
  readonly text: string;
  /** Why it is there; undefined where the line above says it. */
  readonly reason?: string;
}

/** Compares two pods. */
export function podDiff(before: JsonObject, after: JsonObject, reasons: Reasons): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  compareObjects(before, after, { path: "", indent: "", lines, reasons });
  return lines;
}

interface Place {
  readonly path: string;
  readonly indent: string;
  readonly lines: DiffLine[];
  readonly reasons: Reasons;
}

function below(place: Place, key: string, indent = "  "): Place {
  return { ...place, path: `${place.path}/${key.replaceAll("/", "~1")}`, indent: place.indent + indent };
}

function emit({ lines, indent, reasons }: Place, mark: DiffLine["mark"], text: string, place: string): void {
  const reason = mark === "-" ? undefined : reasons.get(place);
  lines.push(reason === undefined ? { mark, text: indent + text } : { mark, text: indent + text, reason });
}

function compareObjects(before: JsonObject, after: JsonObject, place: Place): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    compareValues(valueAt(before, key), valueAt(after, key), key, place);
  }
}

function compareValues(before: JsonValue | undefined, after: JsonValue | undefined, key: string, place: Place): void {
  if (sameJson(before, after)) return;
  const inner = below(place, key);
  if (isObject(before) && isObject(after)) {
    emit(place, " ", `${printed(key)}:`, inner.path);
    compareObjects(before, after, inner);
  } else if (Array.isArray(before) && Array.isArray(after) && isNamed(before) && isNamed(after)) {
    emit(place, " ", `${printed(key)}:`, inner.path);
    compareLists(before, after, inner);
  } else if (key === PROXY_CONFIG && typeof after === "string") {
    compareConfig(typeof before === "string" ? before : "", after, place);
  } else {
    if (before !== undefined) write("-", key, before, place);
    if (after !== undefined) write("+", key, after, place);
  }
}

type Named = readonly JsonObject[];

function isNamed(list: readonly JsonValue[]): list is Named {
  return list.every((element) => typeof valueAt(element, "name") === "string");
}

function compareLists(before: Named, after: Named, place: Place): void {
  for (const element of before.filter(({ name }) => !after.some((other) => other.name === name))) {
    writeElement("-", element, place);
  }
  for (const element of after) {
    const old = before.find(({ name }) => name === element.name);
    if (old === undefined) writeElement("+", element, place);
    else if (!sameJson(old, element)) {
      const inner = below(place, String(element.name));
      emit(place, " ", `- name: ${String(element.name)}`, "");
      compareObjects(old, element, inner);
    }
  }
}

/** The annotation, line by line, each under the key that it belongs to. */
function compareConfig(before: string, after: string, place: Place): void {
  const inner = { ...place, indent: `${place.indent}  ` };
  emit(place, before === "" ? "+" : " ", `${PROXY_CONFIG}: |`, "");
  for (const { mark, line } of lineDiff(before.trimEnd().split("\n"), after.trimEnd().split("\n"))) {
    if (mark === " ") continue;
    const key = /^\s*(?:- )?"?([A-Za-z_]+)"?:/.exec(line)?.[1] ?? "";
    if (line.trimStart().startsWith("{")) {
      // JSON in one line carries all reasons.
      emit(inner, mark, line, "");
      if (mark === "+") {
        for (const [name, reason] of place.reasons) {
          const field = name.startsWith("config/") ? name.slice("config/".length) : "";
          if (field !== "" && line.includes(`"${field}"`))
            inner.lines.push({ mark: " ", text: `${inner.indent}${field}`, reason });
        }
      }
    } else emit(inner, mark, line, `config/${key}`);
  }
}

function write(mark: "+" | "-", key: string, value: JsonValue, place: Place): void {
  const inner = below(place, key);
  if (isObject(value) && Object.keys(value).length > 0) {
    emit(place, mark, `${printed(key)}:`, inner.path);
    for (const [name, field] of Object.entries(value)) write(mark, name, field, inner);
  } else if (Array.isArray(value) && value.length > 0) {
    emit(place, mark, `${printed(key)}:`, inner.path);
    for (const element of value) writeElement(mark, element, inner);
  } else emit(place, mark, `${printed(key)}: ${printed(value)}`, inner.path);
}

function writeElement(mark: "+" | "-", element: JsonValue, place: Place): void {
  if (!isObject(element)) {
    emit(place, mark, `- ${printed(element)}`, "");
    return;
  }
  const name = String(element.name ?? "");
  const inner = below(place, name);
  const entries = Object.entries(element);
  // A variable fits on one line, and its reason belongs to it.
  if (entries.length === 2 && entries.every(([, value]) => typeof value === "string")) {
    emit(place, mark, `- ${printed(element)}`, inner.path);
    return;
  }
  emit(place, mark, `- name: ${name}`, inner.path);
  for (const [key, value] of entries) if (key !== "name") write(mark, key, value, inner);
}

function printed(value: JsonValue): string {
  return stringify(value, { lineWidth: 0, collectionStyle: "flow" }).trimEnd();
}

/** The longest common subsequence of two short texts, as marked lines. */
function lineDiff(a: readonly string[], b: readonly string[]): { mark: DiffLine["mark"]; line: string }[] {
  const length = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number) => length[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = length[i];
      if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const result: { mark: DiffLine["mark"]; line: string }[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      result.push({ mark: " ", line: a[i] ?? "" });
      i++;
      j++;
    } else if (j < b.length && (i === a.length || at(i, j + 1) > at(i + 1, j)))
      result.push({ mark: "+", line: b[j++] ?? "" });
    else result.push({ mark: "-", line: a[i++] ?? "" });
  }
  return result.filter(({ line }) => line !== "");
}
