/**
 * The operations (RFC 6902) that turn one JSON value into another that shares most of its parts.
 *
 * Parts that are the same object are skipped, so it costs what changed. Elements of a list are matched by name, in order:
 * one that comes or goes is one operation, and its neighbours are not written again. That matters for more than size: a
 * number that a double cannot hold (9007199254740993, 1.0) comes out otherwise than it went in, so what is not changed
 * must not be repeated.
 */
import type { Operation } from "fast-json-patch";
import { isObject, type JsonArray, type JsonObject, type JsonValue, sameJson, valueAt } from "../pod/json.ts";

/**
 * Operations on one list, above which it is replaced as a whole. The API server copies a list for each operation on it, so
 * that thousands of them would cost it seconds. The lists in which so much can change (variables, pull secrets) hold no
 * numbers.
 */
const MOST_IN_A_LIST = 64;

/** The operations that turn a value into another; a pointer is where the value stands in the whole document. */
export function differences(before: JsonValue, after: JsonValue, pointer = ""): readonly Operation[] {
  if (before === after) return [];
  if (Array.isArray(before) && Array.isArray(after)) return ofLists(before, after, pointer);
  if (isObject(before) && isObject(after)) return ofObjects(before, after, pointer);
  return sameJson(before, after) ? [] : [{ op: "replace", path: pointer, value: after }];
}

function ofObjects(before: JsonObject, after: JsonObject, pointer: string): readonly Operation[] {
  const operations: Operation[] = [];
  for (const [key, value] of Object.entries(after)) {
    const there = valueAt(before, key);
    if (there === value) continue;
    const path = `${pointer}/${escaped(key)}`;
    if (there === undefined) operations.push({ op: "add", path, value });
    else operations.push(...differences(there, value, path));
  }
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) operations.push({ op: "remove", path: `${pointer}/${escaped(key)}` });
  }
  return operations;
}

/** Removals from the end on, so that an index still means what it meant; then what comes, in order; then what changed. */
function ofLists(before: JsonArray, after: JsonArray, pointer: string): readonly Operation[] {
  const partners = matched(before, after);
  const kept = new Set(partners);
  const removals: Operation[] = [];
  for (let index = before.length - 1; index >= 0; index--) {
    if (!kept.has(index)) removals.push({ op: "remove", path: `${pointer}/${index}` });
  }
  const additions: Operation[] = [];
  const changes: Operation[] = [];
  for (const [index, value] of after.entries()) {
    const there = partners[index];
    const path = `${pointer}/${index}`;
    if (there === undefined) additions.push({ op: "add", path, value });
    else changes.push(...differences(before[there] as JsonValue, value, path));
  }
  const operations = [...removals, ...additions, ...changes];
  return operations.length > MOST_IN_A_LIST ? [{ op: "replace", path: pointer, value: after }] : operations;
}

/** For each element of the later list the index of the earlier one that it was; in order, so that none has to move. */
function matched(before: JsonArray, after: JsonArray): readonly (number | undefined)[] {
  const places = new Map<JsonValue, number[]>();
  for (const [index, element] of before.entries()) {
    const key = keyOf(element);
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else known.push(index);
  }
  const used = new Map<JsonValue, number>();
  let last = -1;
  return after.map((element) => {
    const key = keyOf(element);
    const known = places.get(key) ?? [];
    let at = used.get(key) ?? 0;
    while (at < known.length && (known[at] as number) <= last) at++;
    used.set(key, at + 1);
    const index = known[at];
    if (index !== undefined) last = index;
    return index;
  });
}

/** What tells an element: its name, or itself. */
function keyOf(element: JsonValue): JsonValue {
  const name = valueAt(element, "name");
  return typeof name === "string" ? `name ${name}` : element;
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
