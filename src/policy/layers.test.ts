import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exactly, type WrittenSpec } from "../../test/unit/pods.ts";
import { type Layer, type Level, level, pick, pickEither, pickSet } from "./layers.ts";
import type { PolicySpec } from "./schema.ts";

const layer = (at: Level, origin: string, gateway: WrittenSpec["gateway"]): Layer => ({
  level: at,
  origin,
  spec: exactly<PolicySpec>(gateway === undefined ? {} : { gateway }),
});
const drain = (spec: PolicySpec) => spec.gateway?.drainTimeout;
const p99 = (spec: PolicySpec) => spec.gateway?.requestP99;

describe("pick", () => {
  const layers = [layer(0, "far", { drainTimeout: 1 }), layer(4, "near", { drainTimeout: 2 }), layer(5, "silent", {})];
  it("takes the nearest that says something", () => {
    assert.deepEqual(pick(layers, drain), { value: 2000, level: 4, origin: "near" });
  });
  it("false and 0 are values", () => {
    const both = [
      layer(0, "far", { drainTimeout: 9, retireConnections: true }),
      layer(4, "near", { drainTimeout: 0, retireConnections: false }),
    ];
    assert.equal(pick(both, drain)?.value, 0);
    assert.equal(pick(both, (spec) => spec.gateway?.retireConnections)?.value, false);
  });
  it("is undefined where nobody says anything", () => assert.equal(pick(layers, p99), undefined));
  it("a setting that must have a built-in value is a bug without", () => {
    assert.throws(() => pickSet(layers, p99), /no built-in value/);
  });
});

describe("pickEither", () => {
  const cases: readonly [string, readonly Layer[], object | undefined][] = [
    ["nobody says anything", [layer(0, "a", {})], undefined],
    [
      "the nearest level decides, though it uses the other way",
      [layer(2, "a", { drainTimeout: 60 }), layer(4, "b", { requestP99: 10 })],
      { other: { value: 10000, level: 4, origin: "b" } },
    ],
    [
      "the explicit way wins within one policy",
      [layer(4, "b", { drainTimeout: 60, requestP99: 10 })],
      { explicit: { value: 60000, level: 4, origin: "b" } },
    ],
    [
      "it wins within one level, though another policy comes later",
      [layer(4, "a", { drainTimeout: 60 }), layer(4, "b", { requestP99: 10 })],
      { explicit: { value: 60000, level: 4, origin: "a" } },
    ],
    [
      "of two explicit ones in a level the later wins",
      [layer(4, "a", { drainTimeout: 60 }), layer(4, "b", { drainTimeout: 50 })],
      { explicit: { value: 50000, level: 4, origin: "b" } },
    ],
    [
      "an explicit 0 counts",
      [layer(level.root, "a", { requestP99: 10 }), layer(level.override, "b", { drainTimeout: 0 })],
      { explicit: { value: 0, level: 6, origin: "b" } },
    ],
  ];
  for (const [name, layers, result] of cases) {
    it(name, () => assert.deepEqual(pickEither(layers, drain, p99), result));
  }
});
