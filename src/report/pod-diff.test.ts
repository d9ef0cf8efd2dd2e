import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../pod/json.ts";
import { podDiff } from "./pod-diff.ts";

const diff = (before: JsonObject, after: JsonObject, reasons: readonly (readonly [string, string])[] = []) =>
  podDiff(before, after, new Map(reasons)).map(
    ({ mark, text, reason }) => `${mark} ${text}${reason === undefined ? "" : ` # ${reason}`}`,
  );
const config = (text: string): JsonObject => ({ metadata: { annotations: { "proxy.istio.io/config": text } } });
const containers = (...list: JsonObject[]): JsonObject => ({ spec: { containers: list } });

describe("podDiff", () => {
  it("the same pod has no lines", () => assert.deepEqual(diff({ a: [1] }, { a: [1] }), []));

  it("a changed value is taken away and added, under the keys that lead to it", () => {
    assert.deepEqual(diff({ spec: { grace: 30, x: 1 } }, { spec: { grace: 75, x: 1 } }, [["/spec/grace", "why"]]), [
      "  spec:",
      "-   grace: 30",
      "+   grace: 75 # why",
    ]);
  });

  it("a new object is written out, an empty one on its line", () => {
    assert.deepEqual(diff({}, { a: { b: { c: 1 }, d: {}, e: [] } }), [
      "+ a:",
      "+   b:",
      "+     c: 1",
      "+   d: {}",
      "+   e: []",
    ]);
  });

  it("a key that goes", () => assert.deepEqual(diff({ a: 1, b: 2 }, { b: 2 }), ["- a: 1"]));

  it("containers are matched by name, so one in the middle is one", () => {
    assert.deepEqual(
      diff(
        containers({ name: "a" }, { name: "c" }),
        containers({ name: "a" }, { name: "b", image: "i" }, { name: "c" }),
        [["/spec/containers/b/image", "why"]],
      ),
      ["  spec:", "    containers:", "+     - { name: b, image: i }"],
    );
  });

  it("what changed in a container stands under its name", () => {
    const after = {
      name: "a",
      env: [{ name: "X", value: "1" }],
      args: ["y"],
      ports: [{ name: "p", containerPort: 1 }],
    };
    assert.deepEqual(diff(containers({ name: "a" }), containers(after), [["/spec/containers/a/env/X", "why"]]), [
      "  spec:",
      "    containers:",
      "      - name: a",
      "+       env:",
      '+         - { name: X, value: "1" } # why',
      "+       args:",
      "+         - y",
      "+       ports:",
      "+         - name: p",
      "+           containerPort: 1",
    ]);
  });

  it("a container that goes", () => {
    assert.deepEqual(diff(containers({ name: "a", n: 1 }), containers()), [
      "  spec:",
      "    containers:",
      "-     - name: a",
      "-       n: 1",
    ]);
  });

  it("the annotation is compared line by line, with a reason under each key", () => {
    const after = "a: b\nproxyMetadata:\n  X: y\n";
    assert.deepEqual(diff(config("a: b\nold: c\n"), config(after), [["config/X", "why"]]), [
      "  metadata:",
      "    annotations:",
      "      proxy.istio.io/config: |",
      "-       old: c",
      "+       proxyMetadata:",
      "+         X: y # why",
    ]);
  });

  it("a new annotation is new as a whole", () => {
    assert.deepEqual(diff({ metadata: { annotations: {} } }, config("a: b\n")), [
      "  metadata:",
      "    annotations:",
      "+     proxy.istio.io/config: |",
      "+       a: b",
    ]);
  });

  it("JSON in one line carries the reasons of its keys below it", () => {
    assert.deepEqual(
      diff(config('{"a":1}'), config('{"a":1,"drainDuration":"50s"}'), [
        ["config/drainDuration", "why"],
        ["config/other", "no"],
      ]).slice(2),
      [
        "      proxy.istio.io/config: |",
        '-       {"a":1}',
        '+       {"a":1,"drainDuration":"50s"}',
        "        drainDuration # why",
      ],
    );
  });

  it("a slash in a key is escaped in its place", () => {
    assert.deepEqual(diff({}, { "a/b": 1 }, [["/a~1b", "why"]]), ["+ a/b: 1 # why"]);
  });
});
