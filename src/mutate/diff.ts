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
  const operations: Operation[] = [];
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) operations.push({ op: "remove", path: `${pointer}/${escaped(key)}` });
  }
  if (operations.length > MOST_OF_AN_OBJECT) return [{ op: "replace", path: pointer, value: after }];
  for (const key of Object.keys(after)) {
    const value = after[key] as JsonValue;
    const there = Object.hasOwn(before, key) ? before[key] : undefined;
    if (there === value) continue;
    const path = `${pointer}/${escaped(key)}`;
    if (there === undefined) operations.push({ op: "add", path, value });
    else operations.push(...differences(there, value, path));
  }
  return operations;
}

/** Removals from the end on, so that an index still means what it meant; then what comes, in order; then what changed. */
function ofLists(before: JsonArray, after: JsonArray, pointer: string): readonly Operation[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSame(before[start], after[start])) start++;
  const shift = before.length - after.length;
  let end = after.length;
  while (end > start && end + shift > start && isSame(before[end + shift - 1], after[end - 1])) end--;
  const partners = start === end ? [] : matched(before, after, start, end);
  const kept = new Set(partners);

  const operations: Operation[] = [];
  for (let index = end + shift - 1; index >= start; index--) {
    if (!kept.has(index)) operations.push({ op: "remove", path: `${pointer}/${index}` });
  }
  for (let index = start; index < end; index++) {
    if (partners[index - start] !== undefined) continue;
    operations.push({ op: "add", path: `${pointer}/${index}`, value: after[index] as JsonValue });
  }
  if (operations.length > MOST_IN_A_LIST) return [{ op: "replace", path: pointer, value: after }];
  for (const [index, value] of after.entries()) {
    const there = index < start ? index : index < end ? partners[index - start] : index + shift;
    if (there === undefined || before[there] === value) continue;
    operations.push(...differences(before[there] as JsonValue, value, `${pointer}/${index}`));
  }
  return operations;
}

/**
 * For each element of the later list between two indexes the index of the earlier one that it was, in order, so that none
 * has to move. What stands before and behind is the same in both.
 */
function matched(before: JsonArray, after: JsonArray, start: number, end: number): readonly (number | undefined)[] {
  const places = new Map<JsonValue, number[]>();
  for (let index = start; index < end + before.length - after.length; index++) {
    const key = keyOf(before[index] as JsonValue);
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else known.push(index);
  }
  const used = new Map<JsonValue, number>();
  let last = start - 1;
  return after.slice(start, end).map((element) => {
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

/** Whether two elements are one, changed or not. */
function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  const name = valueAt(one, "name");
  return typeof name === "string" && name === valueAt(other, "name");
}

/** What tells an element: its name, or itself. */
function keyOf(element: JsonValue): JsonValue {
  const name = valueAt(element, "name");
  return typeof name === "string" ? `name ${name}` : element;
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
