import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  isObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  sameJson,
  textAt,
  textsAt,
  valueAt,
  withElement,
  withKey,
} from "./json.ts";

const trap = JSON.parse('{"__proto__":{"polluted":true},"a":1}') as JsonObject;

describe("looking into JSON", () => {
  it("a list and null are no objects", () => {
    assert.deepEqual([{}, [], null, "x", undefined].map(isObject), [true, false, false, false, false]);
  });

  it("what an object inherits is not there", () => {
    assert.equal(valueAt({}, "constructor"), undefined);
    assert.equal(valueAt({}, "__proto__"), undefined);
  });

  it("an own __proto__ key is an ordinary key", () => {
    assert.deepEqual(valueAt(trap, "__proto__"), { polluted: true });
  });

  it("looking into something else than an object finds nothing", () => {
    for (const value of [null, "text", 5, ["x"], undefined] as (JsonValue | undefined)[]) {
      assert.equal(valueAt(value, "length"), undefined);
      assert.deepEqual(objectAt(value, "a"), {});
      assert.deepEqual(objectsAt(value, "a"), []);
      assert.deepEqual(textsAt(value, "a"), []);
      assert.equal(textAt(value, "a"), undefined);
    }
  });

  it("elements of the wrong type are left out", () => {
    const list = { list: [{ a: 1 }, "x", null, ["y"], 3] };
    assert.deepEqual(objectsAt(list, "list"), [{ a: 1 }]);
    assert.deepEqual(textsAt(list, "list"), ["x"]);
  });

  it("a value of the wrong type is none", () => {
    assert.deepEqual(objectAt({ a: ["x"] }, "a"), {});
    assert.equal(textAt({ a: 5 }, "a"), undefined);
  });
});

describe("sameJson", () => {
  const cases: readonly [string, JsonValue | undefined, JsonValue | undefined, boolean][] = [
    ["the order of keys does not matter", { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ["the order of a list does", [1, 2], [2, 1], false],
    ["a missing key is a difference", { a: 1 }, { a: 1, b: 2 }, false],
    ["another key of the same number is a difference", { a: 1 }, { b: 1 }, false],
    ["null is not an absent key", { a: null }, {}, false],
    ["an empty list is not an empty object", [], {}, false],
    ["an empty object is not an empty list", {}, [], false],
    ["a shorter list is a difference", [1], [1, 2], false],
    ["a number is not its text", 1, "1", false],
    ["nothing is nothing", undefined, undefined, true],
    ["nothing is not null", undefined, null, false],
    ["deep differences are found", { a: [{ b: { c: 1 } }] }, { a: [{ b: { c: 2 } }] }, false],
    ["deep copies are the same", { a: [{ b: { c: 1 } }] }, { a: [{ b: { c: 1 } }] }, true],
    ["an inherited name is not a key", { toString: 1 }, { x: 1 }, false],
    ["own __proto__ keys are compared", trap, JSON.parse('{"__proto__":{"polluted":false},"a":1}'), false],
  ];
  for (const [name, a, b, same] of cases) {
    it(name, () => assert.equal(sameJson(a, b), same));
  }
});

describe("copies", () => {
  it("a key is set in its place, and the original stays", () => {
    const before = { a: 1, b: 2 };
    assert.deepEqual(Object.entries(withKey(before, "a", 3)), [
      ["a", 3],
      ["b", 2],
    ]);
    assert.deepEqual(before, { a: 1, b: 2 });
  });

  it("undefined removes the key", () => assert.deepEqual(withKey({ a: 1, b: 2 }, "a", undefined), { b: 2 }));

  it("removing what is not there gives the same object", () => {
    const before = { a: 1 };
    assert.equal(withKey(before, "toString", undefined), before);
  });

  it("an own __proto__ key survives a set and a removal", () => {
    for (const copy of [withKey(trap, "b", 1), withKey(trap, "a", undefined), withKey({}, "__proto__", { x: 1 })]) {
      assert.ok(Object.hasOwn(copy, "__proto__"));
      assert.equal(Object.getPrototypeOf(copy), Object.prototype);
    }
  });

  it("an element is replaced, and the others are shared", () => {
    const before = [{ a: 1 }, { b: 2 }];
    const after = withElement(before, 1, "x");
    assert.deepEqual(after, [{ a: 1 }, "x"]);
    assert.equal(after[0], before[0]);
    assert.deepEqual(before[1], { b: 2 });
  });
});
