import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exactly } from "../../test/unit/pods.ts";
import type { JsonValue } from "../pod/json.ts";
import { type MeshConfig, meshConfigOf, meshLayer } from "./mesh-config.ts";

const defaults = (defaultConfig: JsonValue) => meshConfigOf({ defaultConfig });

describe("meshConfigOf", () => {
  const cases: readonly [string, JsonValue, object][] = [
    [
      "durations",
      { terminationDrainDuration: "20s", drainDuration: "1m" },
      { terminationDrainDuration: 20, drainDuration: 60 },
    ],
    ["a duration that is none", { drainDuration: "soon" }, {}],
    [
      "the two variables",
      { proxyMetadata: { MINIMUM_DRAIN_DURATION: "8s", EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "false" } },
      { minimumDrainDuration: 8, exitOnZeroActiveConnections: false },
    ],
    ["hold", { holdApplicationUntilProxyStarts: true }, { holdApplicationUntilProxyStarts: true }],
    ["hold as a text, which Istio refuses", { holdApplicationUntilProxyStarts: "true" }, {}],
    [
      "stats, without empty lists",
      { proxyStatsMatcher: { inclusionPrefixes: ["a"], inclusionSuffixes: [] } },
      { proxyStatsMatcher: { inclusionPrefixes: ["a"] } },
    ],
    ["nothing that matters", { concurrency: 2 }, {}],
    ["a scalar", "x", {}],
  ];
  for (const [name, config, result] of cases) {
    it(name, () => assert.deepEqual(defaults(config), exactly<object>(result)));
  }
  it("a mesh config that is no mapping", () => assert.deepEqual(meshConfigOf(["x"]), {}));
});

describe("meshLayer", () => {
  const { spec, origin } = meshLayer(
    exactly<MeshConfig>({
      terminationDrainDuration: 20,
      drainDuration: 60,
      proxyStatsMatcher: { inclusionPrefixes: ["a"] },
    }),
  );
  it("holds for both roles", () => {
    assert.equal(spec.gateway?.terminationDrainDuration, 20_000);
    assert.equal(spec.sidecar?.terminationDrainDuration, 20_000);
  });
  it("gives stats to gateways only", () => {
    assert.deepEqual(spec.gateway?.proxyStatsMatcher, { inclusionPrefixes: ["a"] });
    assert.deepEqual(spec.sidecar, { terminationDrainDuration: 20_000 });
  });
  it("says where it comes from", () => assert.equal(origin, "mesh config"));
});
