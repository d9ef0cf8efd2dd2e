/**
 * Builds JSON schemas whose TypeScript type is known to the compiler.
 *
 * The schema is an OpenAPI v3 structural schema as CustomResourceDefinitions need it, and at the same time what the file
 * loader validates with; `Value<typeof schema>` is the type of a value after normalising (durations in milliseconds).
 */
import { DURATION_PATTERN, MAX_DURATION } from "../units/duration.ts";
import type { Milliseconds } from "../units/milliseconds.ts";
import { QUANTITY_PATTERN } from "../units/quantity.ts";

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
  readonly "x-kubernetes-validations"?: readonly Rule[];
}

/** A rule in CEL that the API server checks, for what the rest of a schema cannot say; validate.ts checks the same. */
export interface Rule {
  readonly rule: string;
  /** Completes the sentence that starts with the field's path. */
  readonly message: string;
  /** The field below the one with the rule that the message is about: `.values`. */
  readonly fieldPath?: string;
}

/** How a leaf is normalised and described. */
export type Kind = "object" | "list" | "map" | "text" | "number" | "boolean" | "choice" | "duration" | "quantity";

/** A schema and the type of its values. */
export interface Schema<T> {
  readonly kind: Kind;
  readonly json: JsonSchema;
  readonly fields?: Readonly<Record<string, Schema<unknown>>>;
  readonly element?: Schema<unknown>;
  /** The largest quantity. */
  readonly most?: string;
  /** Only for the compiler; never set. */
  readonly value?: T;
}

/** The type of a schema's values after normalising. */
export type Value<S> = S extends Schema<infer T> ? T : never;

type ObjectOf<F> = { readonly [K in keyof F]?: Value<F[K]> };

/** Durations as CEL reads them. `^[0-9]+$` are seconds, which CEL's own duration() does not know. */
const AT_MOST_A_DAY: Rule = {
  rule: `type(self) == int || (self.matches('^[0-9]+$') ? self.matches('^0*[0-9]{1,5}$') && int(self) <= ${MAX_DURATION} : duration(self) <= duration('24h'))`,
  message: "must be at most 24h",
};

const MORE_THAN_NOTHING: Rule = {
  rule: "type(self) == int || (self.matches('^[0-9]+$') ? !self.matches('^0+$') : duration(self) > duration('0s'))",
  message: "must be more than 0",
};

/**
 * A duration: seconds, or a text with units. Normalised to milliseconds.
 *
 * @param bounds `moreThanNothing` where 0 makes no sense
 */
export function duration(description: string, bounds: { moreThanNothing?: true } = {}): Schema<Milliseconds> {
  return {
    kind: "duration",
    json: {
      description,
      anyOf: [{ type: "integer" }, { type: "string" }],
      "x-kubernetes-int-or-string": true,
      // For texts:
      pattern: DURATION_PATTERN,
      maxLength: 32,
      // For numbers:
      minimum: bounds.moreThanNothing ? 1 : 0,
      maximum: MAX_DURATION,
      "x-kubernetes-validations": bounds.moreThanNothing ? [AT_MOST_A_DAY, MORE_THAN_NOTHING] : [AT_MOST_A_DAY],
    },
  };
}

/**
 * A Kubernetes quantity. Normalised to its text.
 *
 * @param most the largest, as a quantity
 */
export function quantity(description: string, most?: string): Schema<string> {
  return {
    kind: "quantity",
    ...(most === undefined ? {} : { most }),
    json: {
      description,
      anyOf: [{ type: "integer" }, { type: "string" }],
      "x-kubernetes-int-or-string": true,
      pattern: QUANTITY_PATTERN,
      maxLength: 32,
      minimum: 0,
      ...(most === undefined
        ? {}
        : {
            "x-kubernetes-validations": [
              {
                rule: `quantity(string(self)).compareTo(quantity('${most}')) <= 0`,
                message: `must be at most ${most}`,
              },
            ],
          }),
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
): Schema<string> {
  return { kind: "text", json: { type: "string", description, maxLength: 253, ...bounds } };
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
  rules: readonly Rule[] = [],
): Schema<Readonly<Record<string, T>>> {
  return {
    kind: "map",
    element,
    json: {
      type: "object",
      description,
      additionalProperties: element.json,
      maxProperties,
      ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
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
  rules: readonly Rule[] = [],
): Schema<ObjectOf<F>> {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.json]));
  return {
    kind: "object",
    fields,
    json: {
      type: "object",
      description,
      properties,
      ...(required.length > 0 ? { required } : {}),
      ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
    },
  };
}
