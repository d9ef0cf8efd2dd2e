import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { environment, gatewayPod, nativePod, plainPod, run, sidecarPod, statusOf } from "../../test/unit/pods.ts";
import type { JsonObject } from "../pod/json.ts";

const MINIMUM = "MINIMUM_DRAIN_DURATION";
const EXIT = "EXIT_ON_ZERO_ACTIVE_CONNECTIONS";
const variables = (pod: JsonObject) => environment(pod, "istio-proxy");
const withEnv = (...env: JsonObject[]) => gatewayPod({ proxy: { env } });

describe("mutation 2, the proxy's environment", () => {
  it("a rendered proxy gets both variables, after its own", () => {
    const { pod } = run(withEnv({ name: "A", value: "b" }));
    assert.deepEqual(Object.entries(variables(pod)), [
      ["A", "b"],
      [EXIT, "true"],
      [MINIMUM, "5s"],
    ]);
  });

  it("a stub, a plain pod and a native sidecar get none", () => {
    assert.deepEqual(variables(run(gatewayPod({ proxy: { image: "auto" } })).pod), {});
    assert.deepEqual(variables(run(plainPod()).pod), {});
    assert.deepEqual(variables(run(nativePod()).pod), {});
  });

  it("a sidecar without EXIT_ON_ZERO gets no minimum drain", () => {
    assert.deepEqual(variables(run(sidecarPod(), { sidecar: { exitOnZeroActiveConnections: false } }).pod), {
      [EXIT]: "false",
    });
  });

  it("a value of the user stays", () => {
    assert.equal(
      variables(run(withEnv({ name: MINIMUM, value: "12s" }), { gateway: { minimumDrainDuration: 7 } }).pod)[MINIMUM],
      "12s",
    );
  });

  it("an override beats it, and no variable is there twice", () => {
    const pod = gatewayPod({
      proxy: { env: [{ name: MINIMUM, value: "12s" }] },
      annotations: { "gracegate.dev/minimum-drain-duration": "7s" },
    });
    const env = run(pod).pod;
    assert.deepEqual(variables(env), { [MINIMUM]: "7s", [EXIT]: "true" });
  });

  it("a value from elsewhere stays", () => {
    const { pod } = run(withEnv({ name: MINIMUM, valueFrom: { configMapKeyRef: { name: "c", key: "k" } } }));
    assert.equal(variables(pod)[MINIMUM], "<from>");
  });

  it("what Istio rendered from our annotation is not noted twice", () => {
    const stub = run(plainPod({ annotations: { "inject.istio.io/templates": "gateway" } })).pod;
    const { metadata } = stub as { metadata: { annotations: Record<string, string> } };
    const rendered = gatewayPod({
      annotations: metadata.annotations,
      proxy: {
        env: [
          { name: EXIT, value: "true" },
          { name: MINIMUM, value: "5s" },
        ],
      },
    });
    const { pod } = run(rendered);
    assert.deepEqual(variables(pod), { [EXIT]: "true", [MINIMUM]: "5s" });
    assert.ok(!Object.keys(statusOf(pod).wrote as object).some((name) => name.startsWith("istio-proxy/env/")));
  });

  it("a second call with another policy updates what the first one wrote", () => {
    const first = run(sidecarPod(), { sidecar: { minimumDrainDuration: 20 } }).pod;
    assert.equal(variables(first)[MINIMUM], "20s");
    assert.equal(variables(run(first).pod)[MINIMUM], "5s");
    assert.deepEqual(variables(run(first, { sidecar: { exitOnZeroActiveConnections: false } }).pod), {
      [EXIT]: "false",
    });
  });
});
