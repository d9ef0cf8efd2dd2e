import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../pod/json.ts";
import { applyPatch, makePatch, type PatchOperation, verifies } from "./patch.ts";

const pod = (...names: string[]): { metadata: JsonObject; spec: { containers: JsonObject[] } } & JsonObject => ({
  metadata: {},
  spec: { containers: names.map((name) => ({ name, image: `i/${name}` })) },
});

describe("makePatch", () => {
  const cases: readonly [string, JsonObject, JsonObject, readonly PatchOperation[]][] = [
    ["the same pod needs none", pod("a"), pod("a"), []],
    [
      "a container in the middle is inserted, and the others are not rewritten",
      pod("a", "c"),
      pod("a", "b", "c"),
      [{ op: "add", path: "/spec/containers/1", value: { name: "b", image: "i/b" } }],
    ],
    [
      "a container at the end",
      pod("a"),
      pod("a", "b"),
      [{ op: "add", path: "/spec/containers/1", value: { name: "b", image: "i/b" } }],
    ],
    [
      "two containers",
      pod("b"),
      pod("a", "b", "c"),
      [
        { op: "add", path: "/spec/containers/0", value: { name: "a", image: "i/a" } },
        { op: "add", path: "/spec/containers/2", value: { name: "c", image: "i/c" } },
      ],
    ],
    ["a container goes", pod("a", "b"), pod("a"), [{ op: "remove", path: "/spec/containers/1" }]],
    [
      "a parent that is not there is created",
      { metadata: {} },
      { metadata: { annotations: { a: "b" } } },
      [{ op: "add", path: "/metadata/annotations", value: { a: "b" } }],
    ],
    [
      "a slash and a tilde in a key are escaped",
      { metadata: { annotations: {} } },
      { metadata: { annotations: { "a~b/c": "x" } } },
      [{ op: "add", path: "/metadata/annotations/a~0b~1c", value: "x" }],
    ],
    [
      "a value is replaced",
      { spec: { grace: 30 } },
      { spec: { grace: 75 } },
      [{ op: "replace", path: "/spec/grace", value: 75 }],
    ],
    ["a value is removed", { spec: { a: 1, b: 2 } }, { spec: { a: 1 } }, [{ op: "remove", path: "/spec/b" }]],
  ];
  for (const [name, before, after, operations] of cases) {
    it(name, () => {
      assert.deepEqual(makePatch(before, after), operations);
      assert.deepEqual(applyPatch(before, operations), after);
      assert.ok(verifies(before, operations, after));
    });
  }

  it("an insertion and a change beside it", () => {
    const after = pod("a", "b", "c");
    const changed = {
      ...after,
      spec: { containers: [{ name: "a", image: "new" }, { name: "b" }, { name: "c", image: "i/c" }] },
    };
    const operations = makePatch(pod("a", "c"), changed);
    assert.equal(operations.length, 2);
    assert.ok(verifies(pod("a", "c"), operations, changed));
  });

  it("a container that goes from between two leaves its neighbours alone, whose numbers no double holds", () => {
    const number = JSON.rawJSON("9007199254740993");
    const [first, last] = [
      { name: "a", x: number },
      { name: "c", x: number },
    ];
    const before = { spec: { containers: [first, { name: "b" }, last] } };
    const after = { spec: { containers: [{ ...first, lifecycle: {} }, last] } };
    assert.deepEqual(makePatch(before, after), [
      { op: "remove", path: "/spec/containers/1" },
      { op: "add", path: "/spec/containers/0/lifecycle", value: {} },
    ]);
    assert.ok(verifies(before, makePatch(before, after), after));
  });

  it("a change behind an insertion leaves the original as it is", () => {
    const before = pod("a", "c");
    const original = structuredClone(before);
    const after = { ...before, spec: { containers: [...pod("a", "b").spec.containers, { name: "c", image: "new" }] } };
    assert.ok(verifies(before, makePatch(before, after), after));
    assert.deepEqual(before, original);
  });

  it("many changes of one list replace it, since the API server copies a list for each operation", () => {
    const named = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `E${index}` }));
    const before = { spec: { env: named(60_000) } };
    const after = { spec: { env: [{ name: "NEW" }] } };
    assert.deepEqual(makePatch(before, after), [{ op: "replace", path: "/spec/env", value: [{ name: "NEW" }] }]);
    assert.ok(verifies(before, makePatch(before, after), after));
  });

  it("an object that loses very many keys is replaced, so that the patch is no larger than the pod", () => {
    const keys = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1]));
    const [before, after] = [{ spec: { e: { ...keys, name: "a" } } }, { spec: { e: { name: "a" } } }];
    assert.deepEqual(makePatch(before, after), [{ op: "replace", path: "/spec/e", value: { name: "a" } }]);
  });

  it("elements of one name keep their order", () => {
    const [before, after] = [
      { list: pod("a", "a", "b").spec.containers },
      { list: pod("a", "b", "a").spec.containers },
    ];
    assert.ok(verifies(before, makePatch(before, after), after));
  });

  it("one goes while others come, in another order", () => {
    const [before, after] = [pod("a", "b"), pod("c", "b", "d")];
    assert.ok(verifies(before, makePatch(before, after), after));
  });
});

describe("applyPatch", () => {
  it("leaves the original as it is", () => {
    const before = { spec: { list: [{ a: 1 }], deep: { b: 2 } } };
    const copy = structuredClone(before);
    applyPatch(before, [
      { op: "add", path: "/spec/list/0/c", value: 3 },
      { op: "remove", path: "/spec/deep/b" },
      { op: "add", path: "/spec/list/1", value: 1 },
    ]);
    assert.deepEqual(before, copy);
  });

  it("shares what it does not change", () => {
    const before = { a: { x: 1 }, b: { y: 2 } };
    assert.equal(applyPatch(before, [{ op: "add", path: "/a/z", value: 1 }]).b, before.b);
  });
});

describe("verifies", () => {
  const before = pod("a", "c");
  const after = pod("a", "b", "c");
  const value = { name: "b", image: "i/b" };
  const tampered: readonly [string, readonly PatchOperation[]][] = [
    ["no operation at all", []],
    ["another place", [{ op: "add", path: "/spec/containers/0", value }]],
    ["a place behind the end", [{ op: "add", path: "/spec/containers/9", value }]],
    ["a parent that is not there", [{ op: "add", path: "/metadata/annotations/x", value: "y" }]],
    ["another value", [{ op: "add", path: "/spec/containers/1", value: { name: "x" } }]],
    [
      "one operation too many",
      [
        { op: "add", path: "/spec/containers/1", value },
        { op: "add", path: "/spec/hostNetwork", value: true },
      ],
    ],
    [
      "a removal of what is not there",
      [
        { op: "add", path: "/spec/containers/1", value },
        { op: "remove", path: "/spec/nothing" },
      ],
    ],
    ["a change of a prototype", [{ op: "add", path: "/__proto__/polluted", value: true }]],
  ];
  for (const [name, operations] of tampered) {
    it(`is false for ${name}`, () => assert.equal(verifies(before, operations, after), false));
  }
  it("nothing was polluted meanwhile", () => assert.equal("polluted" in {}, false));
});
