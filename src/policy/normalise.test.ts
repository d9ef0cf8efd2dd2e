import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonValue } from "../pod/json.ts";
import { normalise, type Refusal, withoutNulls } from "./normalise.ts";
import { choice, duration, flag, integer, list, map, object, quantity, type Schema, text } from "./schema-builder.ts";

function read<T>(schema: Schema<T>, value: JsonValue) {
  const refusals: Refusal[] = [];
  return { value: normalise(schema, value, "spec.x", refusals), refusals };
}

describe("normalise", () => {
  const cases: readonly [string, Schema<unknown>, JsonValue, unknown][] = [
    ["a duration is milliseconds", duration(""), "1m", 60_000],
    ["half a second stays half a second", duration(""), "500ms", 500],
    ["a quantity is a text", quantity(""), 2, "2"],
    ["a text stays", text(""), "a", "a"],
    ["a choice stays", choice("", ["a", "b"]), "b", "b"],
    ["a number stays", integer("", 0, 9), 5, 5],
    ["a bool stays", flag(""), false, false],
    ["elements of a list are normalised", list("", duration("")), ["1m", 5], [60_000, 5000]],
    ["values of a map are normalised", map("", duration("")), { a: "1m" }, { a: 60_000 }],
    ["fields of an object are normalised", object("", { a: duration("") }), { a: "1m" }, { a: 60_000 }],
    ["unknown fields go", object("", { a: text("") }), { a: "x", b: 1 }, { a: "x" }],
    ["what is no list is an empty one", list("", text("")), "x", []],
    ["what is no object is an empty one", object("", {}), "x", {}],
  ];
  for (const [name, schema, value, result] of cases) {
    it(name, () => assert.deepEqual(read(schema, value), { value: result, refusals: [] }));
  }

  it("a duration that cannot be used is refused at its place", () => {
    const schema = object("", { list: list("", object("", { d: duration("") })) });
    assert.deepEqual(read(schema, { list: [{ d: 1 }, { d: -1 }] }).refusals, [
      { path: "spec.x.list[1].d", reason: "is not a duration: it is negative" },
    ]);
  });
});

describe("withoutNulls", () => {
  const schema = object("", {
    a: text(""),
    m: map("", text("")),
    l: list("", object("", { b: text("") })),
  });
  const cases: readonly [string, JsonValue, JsonValue][] = [
    ["fields of null go", { a: null, m: {} }, { m: {} }],
    ["unknown fields of null go, others stay to be refused", { x: null, y: { z: null } }, { y: { z: null } }],
    ["fields of elements of a list go", { l: [{ b: null }, null] }, { l: [{}, null] }],
    ["entries of a map go", { m: { k: null, n: "x" } }, { m: { n: "x" } }],
    ["what is no object stays", "x", "x"],
  ];
  for (const [name, value, result] of cases) {
    it(name, () => assert.deepEqual(withoutNulls(schema, value), result));
  }
});
