/**
 * Arbitrary specs of a GracePolicy, from its schema: mostly right, with durations, quantities, lists and numbers at and
 * beyond their edges, so that many are taken and many refused.
 */
import * as fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/pod/json.ts";
import { brokenBy } from "../../src/policy/rule.ts";
import { policySpec } from "../../src/policy/schema.ts";
import type { JsonSchema, Schema } from "../../src/policy/schema-builder.ts";

const digits = fc.oneof(
  fc.nat({ max: 90 }).map(String),
  fc.constantFrom(
    "0",
    "000",
    "007",
    "1.5",
    "0.0001",
    "86400",
    "86401",
    "86400.0000000001",
    "999999999999",
    "00000000086400",
  ),
);

const duration: fc.Arbitrary<JsonValue> = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 300 }), weight: 40 },
  { arbitrary: fc.integer({ min: -2, max: 86_402 }), weight: 1 },
  { arbitrary: fc.nat({ max: 400 }).map((n) => `${n}s`), weight: 40 },
  {
    arbitrary: fc
      .array(fc.tuple(digits, fc.constantFrom("ms", "s", "m", "h")), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.flat().join("")),
    weight: 2,
  },
  { arbitrary: fc.tuple(digits, fc.constantFrom("", "d", " s", "us", "µs")).map((parts) => parts.join("")), weight: 1 },
  {
    arbitrary: fc.constantFrom(
      "23h60m",
      "24h",
      "24h1ms",
      "24h0.0000001ms",
      "1440m",
      "0ms",
      "0.0001ms",
      "0.00000001ms0.00001ms",
      "0.0000001s",
      "0.9999999999999999999999ms",
      "",
      "-1s",
      "1e3s",
      ".5s",
    ),
    weight: 1,
  },
);

const anyQuantity = fc
  .tuple(
    fc.constantFrom("1", "64", "100", "1.1", "4.35", "4350", "3.9999999999", "4.0000000001"),
    fc.constantFrom("", "m", "k", "Ki", "Mi", "Gi", "e2", "E", "u", "n"),
  )
  .map((parts) => parts.join(""));

/** Most are within the bound, and some at it. */
const quantityOf = ({ rules = [] }: Schema<unknown>): fc.Arbitrary<JsonValue> =>
  fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: 9 }), weight: 1 },
    { arbitrary: anyQuantity.filter((one) => brokenBy(rules, one).length === 0), weight: 80 },
    { arbitrary: fc.constantFrom("4", "04", "4Gi", "10Gi", "4000m"), weight: 4 },
    { arbitrary: anyQuantity, weight: 1 },
    {
      arbitrary: fc.constantFrom("1e999999", "-1", "0.1.2", "", "1 Gi", "9999999999999999999999999999E", -1),
      weight: 1,
    },
  );

function arbitraryOf(schema: Schema<unknown>): fc.Arbitrary<JsonValue> {
  const { kind, json } = schema;
  switch (kind) {
    case "duration":
      return duration;
    case "quantity":
      return quantityOf(schema);
    case "boolean":
      return fc.oneof({ arbitrary: fc.boolean(), weight: 120 }, { arbitrary: fc.constant("true"), weight: 1 });
    case "choice":
      return fc.oneof(
        { arbitrary: fc.constantFrom(...(json.enum ?? [])), weight: 120 },
        { arbitrary: fc.constant("other"), weight: 1 },
      );
    case "number":
      return numberOf(json);
    case "text":
      return textOf(json);
    case "list":
      return fc.array(arbitraryOf(schema.element as Schema<unknown>), { maxLength: 3 });
    case "map":
      return fc.dictionary(
        fc.constantFrom("cpu", "memory", "app", "a.b/c", "__proto__x"),
        arbitraryOf(schema.element as Schema<unknown>),
        { maxKeys: 3, noNullPrototype: true },
      ) as fc.Arbitrary<JsonValue>;
    case "object": {
      const fields = Object.entries(schema.fields ?? {}).map(([name, field]) => [name, arbitraryOf(field)] as const);
      const required = json.required ?? [];
      return fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true });
    }
  }
}

function numberOf({ minimum = 0, maximum = 1 }: JsonSchema): fc.Arbitrary<JsonValue> {
  return fc.oneof(
    { arbitrary: fc.integer({ min: minimum, max: maximum }), weight: 120 },
    { arbitrary: fc.constantFrom(minimum - 1, maximum + 1, minimum + 0.5), weight: 1 },
  );
}

function textOf({ pattern, minLength = 0 }: JsonSchema): fc.Arbitrary<JsonValue> {
  const words = ["/", "/health_check.html", "a", "A_b", "NAME", "prefix.x"];
  const good = words.filter((word) => new RegExp(pattern ?? "^[^/]").test(word));
  const odd = ["", "a b", "?x", "é", "/a?b", "x".repeat(300), ...(minLength === 0 ? [""] : [])];
  return fc.oneof(
    { arbitrary: fc.constantFrom(...good), weight: 120 },
    { arbitrary: fc.constantFrom(...odd), weight: 1 },
  );
}

/** A spec. Delegation beside a selector, which is refused, comes now and then only. */
export const arbitrarySpec: fc.Arbitrary<JsonObject> = fc
  .tuple(arbitraryOf(policySpec) as fc.Arbitrary<JsonObject>, fc.nat({ max: 9 }))
  .map(([spec, luck]) => {
    const { delegate: _, ...others } = spec;
    return luck > 0 && Object.hasOwn(spec, "selector") ? others : spec;
  });
