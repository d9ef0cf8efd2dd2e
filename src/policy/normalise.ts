/**
 * Turns a validated spec into the form that the rest of the program uses: durations in milliseconds, quantities as texts.
 */
import { isObject, type JsonValue } from "../pod/json.ts";
import { parseMilliseconds } from "../units/duration.ts";
import { brokenBy } from "./rule.ts";
import type { Schema } from "./schema-builder.ts";

/** The schema of a field; undefined where there is none of that path. */
export function schemaAt(schema: Schema<unknown>, path: string): Schema<unknown> | undefined {
  return path.split(".").reduce<Schema<unknown> | undefined>((at, name) => at?.fields?.[name], schema);
}

/** A value of a spec that its schema let through and that still cannot be used. */
export interface Refusal {
  /** Where it stands: `gateway.loadBalancer.buffer`. */
  readonly path: string;
  /** Completes the sentence "PATH …". */
  readonly reason: string;
}

/**
 * Normalises a value by its schema. The value has passed the schema's validation.
 *
 * @param refusals gets what cannot be used
 */
export function normalise<T>(schema: Schema<T>, value: JsonValue, path: string, refusals: Refusal[]): T {
  return normalised(schema, value, path, refusals) as T;
}

/**
 * A value without the fields that are null: the API server drops them when it stores an object, and in a file a section
 * whose fields are all commented out is one. Unknown fields that are not null stay, to be refused.
 */
export function withoutNulls(schema: Schema<unknown>, value: JsonValue): JsonValue {
  return withFields(schema, value, (field) => field !== null);
}

/**
 * A value without the fields that the schema does not have, as the API server prunes them: what a newer CRD lets through
 * is not lost with them.
 */
export function withoutUnknown(schema: Schema<unknown>, value: JsonValue): JsonValue {
  return withFields(schema, value, (_, of) => of !== undefined);
}

/** A value with those of its fields, at every depth that the schema knows, that are to be kept. */
function withFields(
  schema: Schema<unknown>,
  value: JsonValue,
  isKept: (field: JsonValue, of: Schema<unknown> | undefined) => boolean,
): JsonValue {
  const { kind, element, fields } = schema;
  const inside = (of: Schema<unknown> | undefined, part: JsonValue) =>
    of === undefined ? part : withFields(of, part, isKept);
  if (Array.isArray(value)) return value.map((part) => inside(element, part));
  if (!isObject(value) || (kind !== "map" && kind !== "object")) return value;
  const entries = Object.entries(value).flatMap(([name, field]): [string, JsonValue][] => {
    const of =
      kind === "map" ? element : fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
    return isKept(field, of) ? [[name, inside(of, field)]] : [];
  });
  return Object.fromEntries(entries);
}

function normalised(schema: Schema<unknown>, value: JsonValue, path: string, refusals: Refusal[]): unknown {
  const normal = parsed(schema, value, path, refusals);
  if (normal === UNUSABLE) return 0;
  for (const { at, reason } of brokenBy(schema.rules ?? [], normal)) refusals.push({ path: `${path}${at}`, reason });
  return normal;
}

/** In place of a value that is none of its kind; its rules say nothing of it. */
const UNUSABLE = Symbol("unusable");

function parsed(schema: Schema<unknown>, value: JsonValue, path: string, refusals: Refusal[]): unknown {
  const below = (name: string) => (path === "" ? name : `${path}.${name}`);
  switch (schema.kind) {
    case "duration": {
      const duration = parseMilliseconds(value);
      if (duration.ok) return duration.milliseconds;
      refusals.push({ path, reason: `is not a duration: ${duration.reason}` });
      return UNUSABLE;
    }
    case "quantity":
      return String(value);
    case "list":
      if (!Array.isArray(value) || schema.element === undefined) return [];
      return value.map((element, index) =>
        normalised(schema.element as Schema<unknown>, element, `${path}[${index}]`, refusals),
      );
    case "map":
    case "object": {
      if (!isObject(value)) return {};
      const entries = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
        const of = schema.kind === "map" ? schema.element : schema.fields?.[name];
        return of === undefined ? [] : [[name, normalised(of, field, below(name), refusals)]];
      });
      return Object.fromEntries(entries);
    }
    default:
      return value;
  }
}
