/**
 * Settings of a policy by their path in the spec: `gateway.hc.image`.
 */
import { isObject, type JsonObject, type JsonValue } from "../pod/json.ts";

/** The value at a path; undefined where nothing is set. */
export function settingAt(spec: object, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), spec);
}

/** A spec that sets one thing. */
export function specWith(path: string, value: unknown): JsonObject {
  return path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as JsonObject;
}

/** A spec without what is set at a path. */
export function withoutSetting<T extends object>(spec: T, path: string): T {
  const [first = "", ...rest] = path.split(".");
  const { [first]: inner, ...others } = spec as JsonObject;
  if (rest.length === 0) return others as T;
  return isObject(inner) ? ({ ...spec, [first]: withoutSetting(inner, rest.join(".")) as JsonValue } as T) : spec;
}
