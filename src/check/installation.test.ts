import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../pod/json.ts";
import { installationOf } from "./installation.ts";

const deployment = (container: JsonObject): JsonObject => ({
  kind: "Deployment",
  spec: { template: { spec: { containers: [container] } } },
});

describe("installationOf", () => {
  it("reads arguments in both forms, and variables", () => {
    const args = ["webhook", "--root-namespace=gracegate-system", "--hc-image", "registry.example/hc:2"];
    const env = [
      { name: "GRACEGATE_GATEWAY_TEMPLATES", value: "gateway,edge" },
      { name: "GRACEGATE_HC_IMAGE", value: "an argument wins" },
    ];
    assert.deepEqual(installationOf([deployment({ args: ["hc"] }), deployment({ args, env })]), {
      rootNamespace: "gracegate-system",
      hcImage: "registry.example/hc:2",
      gatewayTemplates: "gateway,edge",
      meshConfigMap: undefined,
    });
  });

  it("finds the mesh config where the webhook reads it from the cluster", () => {
    const mesh = (...args: readonly string[]) => installationOf([deployment({ args: ["webhook", ...args] })]);
    assert.equal(mesh("--mesh-config=cluster")?.meshConfigMap, "istio-system/istio");
    assert.equal(mesh("--mesh-config=cluster", "--mesh-config-map=mesh/istio-2")?.meshConfigMap, "mesh/istio-2");
    assert.equal(mesh("--mesh-config=/etc/mesh.yaml")?.meshConfigMap, undefined);
  });

  it("is nothing without a webhook", () => assert.equal(installationOf([deployment({})]), undefined));
});
