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

/** Keys that may go from one object; if more do, it is replaced as a whole, so that a patch is not larger than the pod. */
const MOST_OF_AN_OBJECT = 64;

/**
 * Elements that may come and go in one list; if more do, it is replaced as a whole. The API server copies a list for each
 * of them, so that thousands would cost it seconds. The lists in which so much can change (variables, pull secrets) hold
 * no numbers.
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
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  if (gone.length > MOST_OF_AN_OBJECT) return [{ op: "replace", path: pointer, value: after }];
  const operations: Operation[] = [];
  for (const [key, value] of Object.entries(after)) {
    const there = valueAt(before, key);
    if (there === value) continue;
    const path = `${pointer}/${escaped(key)}`;
    if (there === undefined) operations.push({ op: "add", path, value });
    else operations.push(...differences(there, value, path));
  }
  for (const key of gone) operations.push({ op: "remove", path: `${pointer}/${escaped(key)}` });
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
  if (removals.length + additions.length > MOST_IN_A_LIST) return [{ op: "replace", path: pointer, value: after }];
  return [...removals, ...additions, ...changes];
}

/** For each element of the later list the index of the earlier one that it was; in order, so that none has to move. */
function matched(before: JsonArray, after: JsonArray): readonly (number | undefined)[] {
  const isSame = (index: number, other: number) => keyOf(before[index] ?? null) === keyOf(after[other] ?? null);
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSame(start, start)) start++;
  const shift = before.length - after.length;
  let end = after.length;
  while (end > start && end + shift > start && isSame(end + shift - 1, end - 1)) end--;
  return [
    ...Array.from({ length: start }, (_, index) => index),
    ...found(before, start, end + shift, after.slice(start, end)),
    ...Array.from({ length: after.length - end }, (_, index) => end + shift + index),
  ];
}

/** The same for what is between the elements that both lists begin and end with. */
function found(before: JsonArray, start: number, end: number, after: JsonArray): readonly (number | undefined)[] {
  const places = new Map<JsonValue, number[]>();
  for (let index = start; index < end; index++) {
    const key = keyOf(before[index] ?? null);
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else known.push(index);
  }
  const used = new Map<JsonValue, number>();
  let last = start - 1;
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
