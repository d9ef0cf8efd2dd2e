/**
 * Plain JSON, as it came from the API server, and how to look into it without trusting its shape.
 *
 * A pod stays plain JSON from one end of the pipeline to the other: a typed class would drop the fields that it does not
 * know. A key such as `__proto__` is an own property of what JSON.parse makes, so all look-ups ask for own properties.
 */

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A list of JSON values. */
export type JsonArray = readonly JsonValue[];

/** Whether a value is an object (not null, not a list). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a key, or undefined if the object does not have it or is no object. */
export function valueAt(object: JsonValue | undefined, key: string): JsonValue | undefined {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** What is not there; one for all, since a pod of 100,000 empty containers asks for millions. */
const NOTHING: JsonObject = Object.freeze({});
const NONE: readonly JsonObject[] = Object.freeze([]);

/** The object under a key; an empty one where there is none. */
export function objectAt(object: JsonValue | undefined, key: string): JsonObject {
  const value = valueAt(object, key);
  return isObject(value) ? value : NOTHING;
}

/** The objects in the list under a key; other elements are left out. */
export function objectsAt(object: JsonValue | undefined, key: string): readonly JsonObject[] {
  const value = valueAt(object, key);
  return Array.isArray(value) ? value.filter(isObject) : NONE;
}

/** The text under a key. */
export function textAt(object: JsonValue | undefined, key: string): string | undefined {
  const value = valueAt(object, key);
  return typeof value === "string" ? value : undefined;
}

/** The texts in the list under a key; other elements are left out. */
export function textsAt(object: JsonValue | undefined, key: string): readonly string[] {
  const value = valueAt(object, key);
  return Array.isArray(value) ? value.filter((element) => typeof element === "string") : [];
}

/** Depth to which values are compared; a pod is about 12 deep, and the stack ends at some thousand. */
const DEEPEST = 200;

/**
 * Whether two JSON values are the same, whatever the order of keys. Quick where they share parts; two that are nested
 * deeper than anything in Kubernetes, and share nothing, are not the same.
 */
export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined, depth = 0): boolean {
  if (a === b) return true;
  if (depth > DEEPEST) return false;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((element, index) => sameJson(element, b[index], depth + 1))
    );
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key], depth + 1))
  );
}

/**
 * A copy of an object with one key set, or removed where the value is undefined. The other values are shared.
 *
 * Spreading copies an own `__proto__` key as an own key; an assignment would not.
 */
export function withKey(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  if (value !== undefined) return { ...object, [key]: value };
  if (!Object.hasOwn(object, key)) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** A copy of a list with one element replaced. The others are shared. */
export function withElement(list: JsonArray, index: number, value: JsonValue): JsonArray {
  return list.map((element, at) => (at === index ? value : element));
}
