/**
 * What holds where no policy says anything: the farthest level of the settings. The schema has the values.
 */
import type { JsonValue } from "../pod/json.ts";
import { normalise, type Refusal } from "./normalise.ts";
import { type PolicySpec, policySpec } from "./schema.ts";
import type { Schema } from "./schema-builder.ts";

/** The built-in settings. */
export const builtIn: PolicySpec = built();

function built(): PolicySpec {
  const refusals: Refusal[] = [];
  const spec = normalise(policySpec, writtenOf(policySpec) ?? {}, "spec", refusals);
  if (refusals.length > 0) throw new Error(`the built-in values break the schema: ${JSON.stringify(refusals)}`);
  return spec;
}

/** The built-in values of a schema and of what is below it; undefined where it has none. */
function writtenOf({ builtIn: value, fields = {} }: Schema<unknown>): JsonValue | undefined {
  if (value !== undefined) return value;
  const entries = Object.entries(fields).flatMap(([name, field]): [string, JsonValue][] => {
    const inner = writtenOf(field);
    return inner === undefined ? [] : [[name, inner]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
