import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonValue } from "../pod/json.ts";
import { containerNamed, overlay, withAnnotation, withContainer, withPreStop } from "./edit.ts";

describe("copies with one part changed", () => {
  it("an annotation brings its parents along", () => {
    assert.deepEqual(withAnnotation({}, "a", "b"), { metadata: { annotations: { a: "b" } } });
  });
  it("other annotations stay", () => {
    assert.deepEqual(withAnnotation({ metadata: { annotations: { x: "y" } } }, "a", "b"), {
      metadata: { annotations: { x: "y", a: "b" } },
    });
  });
  it("postStart stays beside a new preStop", () => {
    const hook = { sleep: { seconds: 5 } };
    assert.deepEqual(withPreStop({ lifecycle: { postStart: {} } }, hook), {
      lifecycle: { postStart: {}, preStop: hook },
    });
    assert.deepEqual(withPreStop({ lifecycle: { postStart: {}, preStop: hook } }, undefined), {
      lifecycle: { postStart: {} },
    });
  });
  it("a lifecycle without hooks goes", () => {
    assert.deepEqual(withPreStop({ name: "a", lifecycle: { preStop: {} } }, undefined), { name: "a" });
  });
  it("a container is found by its name, and replaced", () => {
    const pod = { spec: { containers: [null, { name: "a" }, { name: "b" }] } };
    assert.equal(containerNamed(pod, "containers", "b")?.index, 2);
    assert.equal(containerNamed(pod, "initContainers", "b"), undefined);
    assert.equal(containerNamed(pod, "containers", "c"), undefined);
    assert.deepEqual(withContainer(pod, "containers", 1, { name: "x" }).spec, {
      containers: [null, { name: "x" }, { name: "b" }],
    });
    assert.equal(withContainer({}, "containers", 0, {}).spec, undefined);
  });
});

describe("overlay", () => {
  const cases: readonly [string, JsonValue | undefined, JsonValue, JsonValue][] = [
    ["what is not there is added", undefined, { a: 1 }, { a: 1 }],
    [
      "defaults of the API server stay",
      { httpGet: { path: "/x" }, successThreshold: 1 },
      { httpGet: { path: "/y" } },
      { httpGet: { path: "/y" }, successThreshold: 1 },
    ],
    [
      "named elements are matched by name, foreign ones stay behind",
      [
        { name: "f", value: "1" },
        { name: "a", value: "0", x: 1 },
      ],
      [{ name: "a", value: "2" }],
      [
        { name: "a", value: "2", x: 1 },
        { name: "f", value: "1" },
      ],
    ],
    ["lists of scalars are replaced", ["a"], ["b"], ["b"]],
    ["another type is replaced", "a", { b: 1 }, { b: 1 }],
    [
      "a value replaces a reference, beside which the API server refuses it",
      [{ name: "a", valueFrom: { fieldRef: {} } }],
      [{ name: "a", value: "2" }],
      [{ name: "a", value: "2" }],
    ],
    [
      "a reference replaces a value",
      [{ name: "a", value: "2" }],
      [{ name: "a", valueFrom: { fieldRef: {} } }],
      [{ name: "a", valueFrom: { fieldRef: {} } }],
    ],
    [
      "a reference keeps the API server's defaults",
      [{ name: "a", valueFrom: { fieldRef: { apiVersion: "v1" } } }],
      [{ name: "a", valueFrom: { fieldRef: {} } }],
      [{ name: "a", valueFrom: { fieldRef: { apiVersion: "v1" } } }],
    ],
  ];
  for (const [name, there, wanted, result] of cases) {
    it(name, () => assert.deepEqual(overlay(there, wanted), result));
  }
});
