/**
 * Validates a GracePolicy object, from a file or from the API server, and says what is wrong so that a person finds it.
 */
import { Ajv, type ErrorObject } from "ajv";
import { isObject, type JsonObject, type JsonValue, objectAt, textAt } from "../pod/json.ts";
import { DURATION_PATTERN } from "../units/duration.ts";
import { QUANTITY_PATTERN } from "../units/quantity.ts";
import { oversize } from "./bounds.ts";
import { nearest } from "./nearest.ts";
import { normalise, type Refusal, withoutNulls } from "./normalise.ts";
import { API_VERSION, KIND, type PolicySpec, policySpec } from "./schema.ts";
import type { JsonSchema } from "./schema-builder.ts";

/** A policy that can be used. */
export interface Policy {
  readonly name: string;
  readonly namespace: string;
  /** Undefined for a policy from a file. */
  readonly resourceVersion: string | undefined;
  readonly spec: PolicySpec;
}

/** A policy, or all that is wrong with the object. */
export type ValidatedPolicy =
  | { readonly ok: true; readonly policy: Policy }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

let validator: ReturnType<Ajv["compile"]> | undefined;

/** Compiled on first use: the webhook starts without it when it reads no policy. */
function validateSpec(spec: JsonValue): readonly ErrorObject[] {
  validator ??= new Ajv({ allErrors: true, strict: false, verbose: true }).compile(closed(policySpec.json));
  return validator(spec) ? [] : (validator.errors ?? []);
}

/** The schema for files: unknown fields are errors. (The API server prunes or refuses them itself.) */
function closed(schema: JsonSchema): JsonSchema {
  const properties = schema.properties
    ? Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, closed(field)]))
    : undefined;
  // Bounds of durations are for the API server; normalising says the same in better words.
  const { minimum: _, maximum: __, ...unbounded } = schema;
  return {
    ...(schema.pattern === DURATION_PATTERN ? unbounded : schema),
    ...(properties ? { properties, additionalProperties: false } : {}),
    ...(schema.items ? { items: closed(schema.items) } : {}),
  };
}

/**
 * Validates one object.
 *
 * @param object what was read: a whole GracePolicy with apiVersion, kind and metadata
 */
export function validatePolicy(object: JsonValue): ValidatedPolicy {
  const bad = (path: string, reason: string): ValidatedPolicy => ({ ok: false, refusals: [{ path, reason }] });
  if (!isObject(object)) return bad("", "is not a mapping");
  if (object.apiVersion !== API_VERSION) return bad("apiVersion", `is ${shown(object.apiVersion)}, not ${API_VERSION}`);
  if (object.kind !== KIND) return bad("kind", `is ${shown(object.kind)}, not ${KIND}`);
  const metadata = objectAt(object, "metadata");
  const name = textAt(metadata, "name");
  if (name === undefined || name === "") return bad("metadata.name", "is missing");
  const namespace = textAt(metadata, "namespace");
  if (namespace === undefined || namespace === "") {
    return bad("metadata.namespace", "is missing; a policy belongs to one namespace");
  }
  const tooLarge = oversize(object.spec ?? {});
  if (tooLarge !== undefined) return bad("spec", tooLarge);
  const spec = withoutNulls(policySpec, object.spec ?? {});
  const errors = validateSpec(spec);
  if (errors.length > 0) return { ok: false, refusals: unique(errors.map(refusalOf)) };
  const refusals: Refusal[] = [];
  const normal = normalise(policySpec, spec, "spec", refusals);
  if (refusals.length > 0) return { ok: false, refusals };
  return {
    ok: true,
    policy: { name, namespace, resourceVersion: textAt(metadata, "resourceVersion"), spec: normal },
  };
}

/** A refusal, and whether another one of the same field says it better. */
interface Said extends Refusal {
  readonly isGeneral?: boolean;
}

/** What ajv says of a value's type or size, which another error of the field explains. */
const GENERAL: readonly string[] = ["type", "minimum", "maximum"];

/** Turns ajv's errors into sentences about the field. */
function refusalOf(error: ErrorObject): Said {
  const path = `spec${error.instancePath
    .replace(/\/([0-9]+)(?=\/|$)/g, "[$1]")
    .replaceAll("/", ".")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~")}`;
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case "additionalProperties": {
      const name = String(params.additionalProperty);
      const known = Object.keys((error.parentSchema as JsonSchema | undefined)?.properties ?? {});
      const guess = nearest(name, known);
      return {
        path: `${path}.${name}`,
        reason: `is not a field${guess ? `; did you mean ${guess}?` : `; known are ${known.join(", ")}`}`,
      };
    }
    case "enum":
      return { path, reason: `is ${shown(error.data)}; write one of ${(params.allowedValues as string[]).join(", ")}` };
    case "pattern":
    case "anyOf":
      return {
        path,
        reason: isQuantity(error)
          ? `is ${shown(error.data)}, not a quantity such as 64Mi or 100m`
          : isDuration(error)
            ? `is ${shown(error.data)}, not a duration; write 36s, 1m30s or a number of seconds`
            : `is ${shown(error.data)} and does not match ${String(params.pattern)}`,
      };
    case "required":
      return { path: `${path}.${String(params.missingProperty)}`, reason: "is missing" };
    default:
      return {
        path,
        reason: `${error.message ?? "is wrong"}, but is ${shown(error.data)}`,
        isGeneral: GENERAL.includes(error.keyword),
      };
  }
}

function isDuration(error: ErrorObject): boolean {
  const schema = error.parentSchema as JsonSchema | undefined;
  return schema?.["x-kubernetes-int-or-string"] === true || schema?.anyOf !== undefined;
}

function isQuantity(error: ErrorObject): boolean {
  return (error.parentSchema as JsonSchema | undefined)?.pattern === QUANTITY_PATTERN;
}

/** Both branches of an anyOf fail with an error of their own; one sentence a field is enough. */
function unique(refusals: readonly Said[]): readonly Refusal[] {
  const byPath = new Map<string, Said>();
  for (const refusal of refusals) {
    const known = byPath.get(refusal.path);
    if (known === undefined || known.isGeneral) byPath.set(refusal.path, refusal);
  }
  return [...byPath.values()].map(({ path, reason }) => ({ path, reason }));
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The metadata that sorts and names a policy: `GracePolicy shop/default`. */
export function originOf(policy: Pick<Policy, "name" | "namespace">): string {
  return `${KIND} ${policy.namespace}/${policy.name}`;
}

/** A policy as an object, for tests and examples. */
export function policyObject(name: string, namespace: string, spec: JsonObject): JsonObject {
  return { apiVersion: API_VERSION, kind: KIND, metadata: { name, namespace }, spec };
}
