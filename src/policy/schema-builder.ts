/**
 * Builds JSON schemas whose TypeScript type is known to the compiler.
 *
 * The schema is an OpenAPI v3 structural schema as CustomResourceDefinitions need it, and at the same time what the file
 * loader validates with; `Value<typeof schema>` is the type of a value after normalising (durations in milliseconds).
 */
import type { JsonValue } from "../pod/json.ts";
import { DURATION_PATTERN, MAX_DURATION } from "../units/duration.ts";
import type { Milliseconds } from "../units/milliseconds.ts";
import { compareQuantities, QUANTITY_PATTERN } from "../units/quantity.ts";
import { type CelRule, type Rule, validations } from "./rule.ts";

/** A JSON schema node of the kind that a CRD takes. */
export interface JsonSchema {
  readonly type?: "object" | "array" | "string" | "integer" | "boolean";
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly maxProperties?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly "x-kubernetes-int-or-string"?: true;
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
  readonly "x-kubernetes-validations"?: readonly CelRule[];
}

/** How a leaf is normalised and described. */
export type Kind = "object" | "list" | "map" | "text" | "number" | "boolean" | "choice" | "duration" | "quantity";

/** A schema and the type of its values. */
export interface Schema<T> {
  readonly kind: Kind;
  readonly json: JsonSchema;
  readonly fields?: Readonly<Record<string, Schema<unknown>>>;
  readonly element?: Schema<unknown>;
  /** What its type cannot say. */
  readonly rules?: readonly Rule<T>[];
  /** What holds where no policy says anything, as a person writes it. */
  readonly builtIn?: JsonValue;
  readonly known?: KnownText;
  /** Only for the compiler; never set. */
  readonly value?: T;
}

/** A kind of text that is written outside of policies too. */
export interface KnownText {
  readonly pattern: RegExp;
  /** Its name: `image`. */
  readonly type: string;
  /** What another text is not: `an image`. */
  readonly is: string;
  /** What would be right: `its name with a tag or a digest`. */
  readonly right: string;
}

/** The type of a schema's values after normalising. */
export type Value<S> = S extends Schema<infer T> ? T : never;

type ObjectOf<F> = { readonly [K in keyof F]?: Value<F[K]> };

/** Durations as CEL reads them. `^[0-9]+$` are seconds, which CEL's own duration() does not know. */
const AT_MOST_A_DAY: Rule<Milliseconds> = {
  cel: `type(self) == int || (self.matches('^[0-9]+$') ? self.matches('^0*[0-9]{1,5}$') && int(self) <= ${MAX_DURATION} : duration(self) <= duration('24h'))`,
  message: "must be at most 24h",
  // What is longer is not parsed.
  isBroken: () => false,
};

const moreThanNothing = (since: string): Rule<Milliseconds> => ({
  cel: "type(self) == int || (self.matches('^[0-9]+$') ? !self.matches('^0+$') : duration(self) > duration('0s'))",
  message: `is 0; ${since}`,
  isBroken: (span) => span === 0,
});

/**
 * A duration: seconds, or a text with units. Normalised to milliseconds.
 *
 * @param bounds `moreThanNothing` where 0 makes no sense: `a check needs a pause`
 */
export function duration(description: string, bounds: { moreThanNothing?: string } = {}): Schema<Milliseconds> {
  const since = bounds.moreThanNothing;
  const rules = since === undefined ? [AT_MOST_A_DAY] : [AT_MOST_A_DAY, moreThanNothing(since)];
  return {
    kind: "duration",
    rules,
    json: {
      description,
      anyOf: [{ type: "integer" }, { type: "string" }],
      "x-kubernetes-int-or-string": true,
      // For texts:
      pattern: DURATION_PATTERN,
      maxLength: 32,
      // For numbers:
      minimum: since === undefined ? 0 : 1,
      maximum: MAX_DURATION,
      ...validations(rules),
    },
  };
}

const atMost = (most: string): Rule<string> => ({
  cel: `quantity(string(self)).compareTo(quantity('${most}')) <= 0`,
  message: `must be at most ${most}`,
  isBroken: (value) =>
    (compareQuantities(value, most) ?? 1) > 0 && [{ reason: `is ${value}; it must be at most ${most}` }],
});

/**
 * A Kubernetes quantity. Normalised to its text.
 *
 * @param most the largest, as a quantity
 */
export function quantity(description: string, most?: string): Schema<string> {
  const rules = most === undefined ? [] : [atMost(most)];
  return {
    kind: "quantity",
    rules,
    json: {
      description,
      anyOf: [{ type: "integer" }, { type: "string" }],
      "x-kubernetes-int-or-string": true,
      pattern: QUANTITY_PATTERN,
      maxLength: 32,
      minimum: 0,
      ...validations(rules),
    },
  };
}

/** One of a few words. */
export function choice<const T extends string>(description: string, values: readonly T[]): Schema<T> {
  return { kind: "choice", json: { type: "string", description, enum: values } };
}

/** A text. */
export function text(
  description: string,
  bounds: Pick<JsonSchema, "pattern" | "minLength" | "maxLength"> = {},
  known?: KnownText,
): Schema<string> {
  const json: JsonSchema = { type: "string", description, maxLength: 253, ...bounds };
  if (known === undefined) return { kind: "text", json };
  return { kind: "text", json: { ...json, pattern: known.pattern.source }, known };
}

/** A whole number within bounds. */
export function integer(description: string, minimum: number, maximum: number): Schema<number> {
  return { kind: "number", json: { type: "integer", description, minimum, maximum } };
}

/** true or false. */
export function flag(description: string): Schema<boolean> {
  return { kind: "boolean", json: { type: "boolean", description } };
}

/** A list of values of one kind. */
export function list<T>(description: string, element: Schema<T>, maxItems = 64, minItems = 0): Schema<readonly T[]> {
  const bounds = minItems === 0 ? { maxItems } : { minItems, maxItems };
  return { kind: "list", element, json: { type: "array", description, items: element.json, ...bounds } };
}

/** A mapping from any name to values of one kind. */
export function map<T>(
  description: string,
  element: Schema<T>,
  maxProperties = 64,
  rules: readonly Rule<Readonly<Record<string, T>>>[] = [],
): Schema<Readonly<Record<string, T>>> {
  return {
    kind: "map",
    element,
    rules,
    json: {
      type: "object",
      description,
      additionalProperties: element.json,
      maxProperties,
      ...validations(rules),
    },
  };
}

/**
 * An object with known fields, optional but for those named.
 *
 * @param rules what must hold between the fields
 */
export function object<F extends Readonly<Record<string, Schema<unknown>>>>(
  description: string,
  fields: F,
  required: readonly (keyof F & string)[] = [],
  rules: readonly Rule<ObjectOf<F>>[] = [],
): Schema<ObjectOf<F>> {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.json]));
  return {
    kind: "object",
    fields,
    rules,
    json: {
      type: "object",
      description,
      properties,
      ...(required.length > 0 ? { required } : {}),
      ...validations(rules),
    },
  };
}

/** A field and what holds where no policy says anything, as a person writes it. */
export function orElse<S extends Schema<unknown>>(builtIn: JsonValue, schema: S): S {
  return { ...schema, builtIn };
}
