import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse } from "yaml";
import {
  annotation,
  codesOf,
  gatewayPod,
  type Parts,
  plainPod,
  run,
  sidecarPod,
  statusOf,
  type WrittenSpec,
} from "../../test/unit/pods.ts";
import type { JsonObject } from "../pod/json.ts";

const CONFIG = "proxy.istio.io/config";
const config = (pod: JsonObject) => annotation(pod, CONFIG);
const read = (pod: JsonObject) => parse(config(pod) ?? "") as Record<string, unknown>;
const withConfig = (text: string, parts: Parts = {}): Parts => ({
  ...parts,
  annotations: { ...parts.annotations, [CONFIG]: text },
});

describe("mutation 1, proxy.istio.io/config", () => {
  it("a gateway gets its durations, its variables and the stats that hc needs", () => {
    assert.deepEqual(read(run(gatewayPod()).pod), {
      terminationDrainDuration: "36s",
      holdApplicationUntilProxyStarts: true,
      proxyMetadata: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true", MINIMUM_DRAIN_DURATION: "5s" },
      proxyStatsMatcher: {
        inclusionSuffixes: [
          "downstream_rq_active",
          "downstream_rq_total",
          "upstream_rq_active",
          "downstream_cx_active",
        ],
      },
    });
  });

  it("a sidecar gets no stats", () => {
    assert.deepEqual(read(run(sidecarPod()).pod), {
      terminationDrainDuration: "25s",
      holdApplicationUntilProxyStarts: true,
      proxyMetadata: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true", MINIMUM_DRAIN_DURATION: "5s" },
    });
  });

  it("it applies before the proxy is rendered, since Istio reads it then", () => {
    assert.equal(read(run(plainPod()).pod).terminationDrainDuration, "25s");
  });

  type Case = readonly [string, JsonObject, WrittenSpec, string, unknown];
  const keys: readonly Case[] = [
    [
      "drainDuration where the proxy must accept for longer than 45 s",
      gatewayPod(),
      { gateway: { proxyStop: "Sigterm" } },
      "drainDuration",
      "50s",
    ],
    ["none where Envoy's own is enough", gatewayPod(), {}, "drainDuration", undefined],
    [
      "no hold on the pod of a Job",
      plainPod({ spec: { restartPolicy: "Never" } }),
      {},
      "holdApplicationUntilProxyStarts",
      undefined,
    ],
    [
      "hold false where a policy says so",
      sidecarPod(),
      { sidecar: { holdApplicationUntilProxyStarts: false } },
      "holdApplicationUntilProxyStarts",
      false,
    ],
    [
      "a user's own key stays",
      sidecarPod(withConfig("terminationDrainDuration: 33s")),
      { sidecar: { terminationDrainDuration: 50 } },
      "terminationDrainDuration",
      "33s",
    ],
    [
      "an override beats a user's own key",
      sidecarPod(
        withConfig("terminationDrainDuration: 33s", {
          annotations: { "gracegate.dev/termination-drain-duration": "50s" },
        }),
      ),
      {},
      "terminationDrainDuration",
      "50s",
    ],
    [
      "a user's hold stays on a Job",
      plainPod(withConfig("holdApplicationUntilProxyStarts: true", { spec: { restartPolicy: "Never" } })),
      {},
      "holdApplicationUntilProxyStarts",
      true,
    ],
    [
      "a null of the user is no key of theirs",
      sidecarPod(withConfig("terminationDrainDuration: ~")),
      {},
      "terminationDrainDuration",
      "25s",
    ],
    [
      "EXIT_ON_ZERO is false where a policy says so",
      gatewayPod(),
      { gateway: { exitOnZeroActiveConnections: false } },
      "proxyMetadata",
      { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "false", MINIMUM_DRAIN_DURATION: "5s" },
    ],
    [
      "EXIT_ON_ZERO is not added beside a terminationDrainDuration of the user",
      sidecarPod(withConfig("terminationDrainDuration: 40s")),
      {},
      "proxyMetadata",
      undefined,
    ],
    [
      "a variable of the user's container is not written here",
      gatewayPod({ proxy: { env: [{ name: "MINIMUM_DRAIN_DURATION", value: "9s" }] } }),
      {},
      "proxyMetadata",
      { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true" },
    ],
    [
      "stats of policy and user are united with ours",
      gatewayPod(withConfig("proxyStatsMatcher: {inclusionSuffixes: [mine, upstream_rq_active]}")),
      { gateway: { proxyStatsMatcher: { inclusionSuffixes: ["theirs"], inclusionPrefixes: ["p"] } } },
      "proxyStatsMatcher",
      {
        inclusionSuffixes: [
          "mine",
          "upstream_rq_active",
          "theirs",
          "downstream_rq_active",
          "downstream_rq_total",
          "downstream_cx_active",
        ],
        inclusionPrefixes: ["p"],
      },
    ],
  ];
  for (const [name, pod, spec, key, value] of keys) {
    it(name, () => assert.deepEqual(read(run(pod, spec).pod)[key], value));
  }

  const notices: readonly [string, JsonObject, readonly string[]][] = [
    ["a list is left alone with a warning", gatewayPod(withConfig("- a")), ["GG201"]],
    [
      "a bool in quotes is told, since Istio refuses it",
      gatewayPod(withConfig('holdApplicationUntilProxyStarts: "true"')),
      ["GG211"],
    ],
    ["more than 16 KiB are left alone with a warning", gatewayPod(withConfig(`a: ${"x".repeat(16384)}`)), ["GG210"]],
    ["unquoted variables are quoted with a warning", gatewayPod(withConfig("proxyMetadata: {A: 3}")), ["GG202"]],
    [
      "a short terminationDrainDuration of the user stays with a warning",
      gatewayPod(withConfig("terminationDrainDuration: 3s")),
      ["GG205"],
    ],
    [
      "the old annotation for stats hides hc's",
      gatewayPod({ annotations: { "sidecar.istio.io/statsInclusionSuffixes": "x" } }),
      ["GG206"],
    ],
    [
      "a short drainDuration of the user stays with a warning",
      gatewayPod(withConfig("drainDuration: 10s", { annotations: { "gracegate.dev/proxy-stop": "Sigterm" } })),
      ["GG207"],
    ],
  ];
  for (const [name, pod, codes] of notices) {
    it(name, () => assert.deepEqual(codesOf(run(pod).notices), codes));
  }

  it("an annotation that is no mapping stays as it is", () => {
    assert.equal(config(run(gatewayPod(withConfig("- a"))).pod), "- a");
  });

  it("a second call with another policy changes what the first one wrote", () => {
    const first = run(sidecarPod(), { sidecar: { drainTimeout: 60 } }).pod;
    assert.deepEqual([read(first).terminationDrainDuration, read(first).drainDuration], ["60s", "60s"]);
    const second = run(first, { sidecar: { drainTimeout: 20, exitOnZeroActiveConnections: false } }).pod;
    assert.deepEqual(read(second), {
      terminationDrainDuration: "20s",
      holdApplicationUntilProxyStarts: true,
      proxyMetadata: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "false" },
    });
    assert.deepEqual(
      Object.keys(statusOf(second).wrote as object).filter((key) => key.startsWith("config/")),
      [
        "config/terminationDrainDuration",
        "config/holdApplicationUntilProxyStarts",
        "config/proxyMetadata.EXIT_ON_ZERO_ACTIVE_CONNECTIONS",
      ],
    );
  });

  it("stats of an earlier policy go, the user's stay", () => {
    const own = gatewayPod(withConfig("proxyStatsMatcher: {inclusionPrefixes: [mine]}"));
    const first = run(own, { gateway: { proxyStatsMatcher: { inclusionPrefixes: ["old"] } } }).pod;
    const second = run(first, { gateway: { proxyStatsMatcher: { inclusionPrefixes: ["new"] } } }).pod;
    assert.deepEqual((read(second).proxyStatsMatcher as JsonObject).inclusionPrefixes, ["mine", "new"]);
    assert.deepEqual((read(run(second).pod).proxyStatsMatcher as JsonObject).inclusionPrefixes, ["mine"]);
  });

  it("a value that somebody changed since is theirs", () => {
    const first = run(sidecarPod()).pod;
    const changed = sidecarPod({
      annotations: {
        [CONFIG]: (config(first) ?? "").replace("25s", "33s"),
        "gracegate.dev/status": annotation(first, "gracegate.dev/status") ?? "",
      },
    });
    assert.equal(read(run(changed, { sidecar: { drainTimeout: 10 } }).pod).terminationDrainDuration, "33s");
  });

  it("the mesh's stats survive, since Istio replaces its matcher", () => {
    const { pod } = run(gatewayPod(), {}, { proxyStatsMatcher: { inclusionRegexps: ["mesh.*"] } });
    assert.deepEqual((read(pod).proxyStatsMatcher as JsonObject).inclusionRegexps, ["mesh.*"]);
  });
});
