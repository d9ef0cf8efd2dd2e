import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exactly, gatewayPod, plainPod } from "../../test/unit/pods.ts";
import { factsOf } from "./facts.ts";
import type { JsonObject } from "./json.ts";
import { parseProxyConfig } from "./proxy-config.ts";
import { proxyValues } from "./proxy-values.ts";

function read(config: string, env: readonly JsonObject[] = [], wrote: JsonObject = {}) {
  const parsed = parseProxyConfig(config);
  const annotations = { "gracegate.dev/status": JSON.stringify({ wrote }) };
  const facts = factsOf(gatewayPod({ proxy: { env }, annotations }), "shop", []);
  const { notices, ...values } = proxyValues(facts, parsed.ok ? parsed.config : undefined);
  return { ...values, codes: notices.map(({ code }) => code) };
}

const silent = {
  terminationDrainDuration: undefined,
  drainDuration: undefined,
  metadata: {},
  variables: [],
  codes: [],
};

describe("what the user wrote", () => {
  const cases: readonly [string, string, readonly JsonObject[], JsonObject, object][] = [
    ["nothing", "", [], {}, {}],
    [
      "durations",
      "terminationDrainDuration: 33s\ndrainDuration: 1m\n",
      [],
      {},
      { terminationDrainDuration: 33, drainDuration: 60 },
    ],
    [
      "an unquoted bool of YAML 1.1 is what it will be once it is quoted",
      "proxyMetadata: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: on }",
      [],
      {},
      { metadata: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: true } },
    ],
    [
      "a number without a unit is meant as seconds, and warned about",
      "terminationDrainDuration: 40",
      [],
      {},
      { terminationDrainDuration: 40, codes: ["GG203"] },
    ],
    ["words are no duration", "drainDuration: soon", [], {}, { codes: ["GG203"] }],
    [
      "a number of seconds that no pod has is not guessed",
      "terminationDrainDuration: 1234567",
      [],
      {},
      { codes: ["GG203"] },
    ],
    ["a key without a value says nothing", "terminationDrainDuration: ~", [], {}, {}],
    [
      "variables of the annotation",
      'proxyMetadata:\n  EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "false"\n  MINIMUM_DRAIN_DURATION: 12s\n',
      [],
      {},
      { metadata: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: false, MINIMUM_DRAIN_DURATION: 12 } },
    ],
    [
      "a minimum drain without a unit is 5 s to the agent",
      'proxyMetadata: {MINIMUM_DRAIN_DURATION: "30"}',
      [],
      {},
      { metadata: { MINIMUM_DRAIN_DURATION: 5 }, codes: ["GG204"] },
    ],
    [
      "a bool that Go does not know is false, and warned about",
      'proxyMetadata: {EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "yes"}',
      [],
      {},
      { metadata: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: false }, codes: ["GG209"] },
    ],
    [
      "variables of the container",
      "",
      [{ name: "MINIMUM_DRAIN_DURATION", value: "7s" }],
      {},
      { metadata: { MINIMUM_DRAIN_DURATION: 7 }, variables: ["MINIMUM_DRAIN_DURATION"] },
    ],
    [
      "the container's beats the annotation's",
      "proxyMetadata: {MINIMUM_DRAIN_DURATION: 12s}",
      [{ name: "MINIMUM_DRAIN_DURATION", value: "7s" }],
      {},
      { metadata: { MINIMUM_DRAIN_DURATION: 7 }, variables: ["MINIMUM_DRAIN_DURATION"] },
    ],
    [
      "one from elsewhere is theirs, with an unknown value",
      "",
      [{ name: "EXIT_ON_ZERO_ACTIVE_CONNECTIONS", valueFrom: {} }],
      {},
      { variables: ["EXIT_ON_ZERO_ACTIVE_CONNECTIONS"] },
    ],
    [
      "a key that came from here is not theirs",
      "terminationDrainDuration: 40s",
      [],
      { "config/terminationDrainDuration": "40s" },
      {},
    ],
    [
      "a key that was changed since is theirs",
      "terminationDrainDuration: 50s",
      [],
      { "config/terminationDrainDuration": "40s" },
      { terminationDrainDuration: 50 },
    ],
    [
      "a variable that came from here is not theirs",
      "",
      [{ name: "MINIMUM_DRAIN_DURATION", value: "5s" }],
      { "istio-proxy/env/MINIMUM_DRAIN_DURATION": "5s" },
      {},
    ],
    [
      "one that Istio rendered from our annotation is not theirs",
      "proxyMetadata: {MINIMUM_DRAIN_DURATION: 5s}",
      [{ name: "MINIMUM_DRAIN_DURATION", value: "5s" }],
      { "config/proxyMetadata.MINIMUM_DRAIN_DURATION": "5s" },
      {},
    ],
    [
      "one that Istio rendered from their annotation is theirs",
      "proxyMetadata: {MINIMUM_DRAIN_DURATION: 9s}",
      [{ name: "MINIMUM_DRAIN_DURATION", value: "9s" }],
      {},
      { metadata: { MINIMUM_DRAIN_DURATION: 9 }, variables: ["MINIMUM_DRAIN_DURATION"] },
    ],
  ];
  for (const [name, config, env, wrote, values] of cases) {
    it(name, () => assert.deepEqual(read(config, env, wrote), { ...silent, ...exactly<object>(values) }));
  }

  it("a pod without a proxy has only its annotation", () => {
    const parsed = parseProxyConfig("terminationDrainDuration: 33s");
    assert.ok(parsed.ok);
    assert.equal(proxyValues(factsOf(plainPod(), "shop", []), parsed.config).terminationDrainDuration, 33_000);
  });

  it("an annotation that cannot be used says nothing", () => {
    assert.deepEqual(read("- a list"), { ...silent });
  });
});
