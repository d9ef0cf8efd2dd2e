import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { annotation, gatewayPod, plainPod, run, sidecarPod, statusOf } from "../../test/unit/pods.ts";
import { version } from "../version.ts";

describe("mutation 7, the status", () => {
  it("says what was decided and what was written, by name", () => {
    const { wrote, ...status } = statusOf(run(gatewayPod()).pod);
    assert.deepEqual(status, {
      version,
      role: "gateway",
      rule: "proxy-router",
      policies: ["shop/default@7"],
      budget: {
        drainTimeout: 36,
        lbBuffer: 9,
        hook: 45,
        terminationDrainDuration: 36,
        minimumDrainDuration: 5,
        exitOnZero: true,
        margin: 30,
        gracePeriod: 75,
      },
      gracePeriod: 30,
    });
    assert.deepEqual(wrote, {
      "config/terminationDrainDuration": "36s",
      "config/holdApplicationUntilProxyStarts": "true",
      "config/proxyMetadata.EXIT_ON_ZERO_ACTIVE_CONNECTIONS": "true",
      "config/proxyMetadata.MINIMUM_DRAIN_DURATION": "5s",
      "config/proxyStatsMatcher.inclusionSuffixes": [
        "downstream_rq_active",
        "downstream_rq_total",
        "upstream_rq_active",
        "downstream_cx_active",
      ],
      "istio-proxy/env/EXIT_ON_ZERO_ACTIVE_CONNECTIONS": "true",
      "istio-proxy/env/MINIMUM_DRAIN_DURATION": "5s",
      hc: "gracegate:test",
      "istio-proxy/preStop": { httpGet: { path: "/drained", port: 18180, scheme: "HTTP" } },
      gracePeriod: 75,
    });
  });

  it("a sidecar's has its application's stop", () => {
    const { budget } = statusOf(run(sidecarPod()).pod) as { budget: Record<string, unknown> };
    assert.deepEqual([budget.appStop, budget.lbBuffer], [0, undefined]);
  });

  it("is compact", () =>
    assert.doesNotMatch(annotation(run(gatewayPod()).pod, "gracegate.dev/status") ?? "", /[\n]|: /));

  it("codes of the first call stay in the second, and those of both are there once", () => {
    const first = run(
      plainPod({ annotations: { "proxy.istio.io/config": "proxyMetadata: {A: 3}", "gracegate.dev/colour": "red" } }),
    ).pod;
    assert.deepEqual(statusOf(first).codes, ["GG102", "GG202"]);
    assert.deepEqual(statusOf(run(first).pod).codes, ["GG102", "GG202"]);
  });

  it("a status that cannot be read is replaced", () => {
    const { pod } = run(gatewayPod({ annotations: { "gracegate.dev/status": "{" } }));
    assert.equal(statusOf(pod).role, "gateway");
  });
});
