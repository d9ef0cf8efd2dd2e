import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gatewayPod, nativePod, type Parts, plainPod, sidecarPod } from "../../test/unit/pods.ts";
import type { JsonObject } from "./json.ts";
import { proxyOf } from "./proxy.ts";
import { decideRole } from "./role.ts";

const decide = (pod: JsonObject, templates: readonly string[] = ["gateway"]) => {
  const { role, rule } = decideRole(pod, proxyOf(pod), templates);
  return [role, rule];
};

const stub = (parts: Parts = {}) => gatewayPod({ ...parts, proxy: { image: "auto", args: [], ...parts.proxy } });
const templates = (list: string) => ({ annotations: { "inject.istio.io/templates": list } });
const role = (value: string) => ({ annotations: { "gracegate.dev/role": value } });

describe("the role of a pod, rule by rule", () => {
  const cases: readonly [string, JsonObject, string, string][] = [
    // 1
    [
      "a mirror pod is left alone",
      gatewayPod({ annotations: { "kubernetes.io/config.mirror": "x" } }),
      "none",
      "mirror-pod",
    ],
    ["a Windows pod by its os is left alone", sidecarPod({ spec: { os: { name: "windows" } } }), "none", "windows"],
    [
      "a Windows pod by its nodeSelector is left alone",
      plainPod({ spec: { nodeSelector: { "kubernetes.io/os": "windows" } } }),
      "none",
      "windows",
    ],
    [
      "a Linux pod by its os is not",
      gatewayPod({
        spec: { containers: [{ name: "istio-proxy", image: "p", args: ["proxy", "router"] }], os: { name: "linux" } },
      }),
      "gateway",
      "proxy-router",
    ],
    [
      "the label inject: false leaves it alone",
      gatewayPod({ labels: { "gracegate.dev/inject": "false" } }),
      "none",
      "inject-false",
    ],
    [
      "the annotation inject: false leaves it alone",
      gatewayPod({ annotations: { "gracegate.dev/inject": " false " } }),
      "none",
      "inject-false",
    ],
    [
      "inject: true changes nothing",
      gatewayPod({ labels: { "gracegate.dev/inject": "true" } }),
      "gateway",
      "proxy-router",
    ],
    [
      "inject: false beats a role",
      gatewayPod({ annotations: { "gracegate.dev/inject": "false", "gracegate.dev/role": "gateway" } }),
      "none",
      "inject-false",
    ],
    // 2
    ["a role on the pod decides", sidecarPod(role("gateway")), "gateway", "role-override"],
    ["role none leaves a gateway alone", gatewayPod(role("none")), "none", "role-override"],
    [
      "a role beats a waypoint",
      gatewayPod({ ...role("sidecar"), proxy: { args: ["proxy", "waypoint"] } }),
      "sidecar",
      "role-override",
    ],
    ["an unknown role decides nothing", gatewayPod(role("router")), "gateway", "proxy-router"],
    // 3
    ["an ambient waypoint is left alone", gatewayPod({ proxy: { args: ["proxy", "waypoint"] } }), "none", "waypoint"],
    [
      "ztunnel as istio-proxy is left alone",
      gatewayPod({ proxy: { args: ["proxy", "ztunnel"] } }),
      "none",
      "not-envoy",
    ],
    [
      "a ztunnel pod is left alone",
      plainPod({ others: [{ name: "istio-proxy-z", image: "z", args: ["proxy", "ztunnel"] }] }),
      "none",
      "not-envoy",
    ],
    ["a container ztunnel is left alone", plainPod({ others: [{ name: "ztunnel", image: "z" }] }), "none", "not-envoy"],
    [
      "an agentgateway is left alone",
      plainPod({ others: [{ name: "agentgateway", image: "a" }] }),
      "none",
      "not-envoy",
    ],
    ["proxyless gRPC by its template is left alone", plainPod(templates("grpc-agent")), "none", "proxyless-grpc"],
    ["proxyless gRPC among other templates too", plainPod(templates("sidecar, grpc-simple")), "none", "proxyless-grpc"],
    [
      "proxyless gRPC by its generator is left alone",
      sidecarPod({ proxy: { env: [{ name: "ISTIO_META_GENERATOR", value: "grpc" }] } }),
      "none",
      "proxyless-grpc",
    ],
    [
      "another generator is Envoy",
      sidecarPod({ proxy: { env: [{ name: "ISTIO_META_GENERATOR", value: "api" }] } }),
      "sidecar",
      "proxy-sidecar",
    ],
    // 4
    ["istio-proxy that runs proxy router is a gateway", gatewayPod(), "gateway", "proxy-router"],
    ["a stub with the gateway template is a gateway", stub(templates("gateway")), "gateway", "gateway-template"],
    [
      "the template may stand among others, with spaces",
      stub(templates("custom , gateway")),
      "gateway",
      "gateway-template",
    ],
    [
      "a pod without any istio-proxy and the gateway template is a gateway",
      plainPod(templates("gateway")),
      "gateway",
      "gateway-template",
    ],
    [
      "a stub is a gateway also where injection is refused, since it cannot run otherwise",
      stub({ ...templates("gateway"), labels: { "sidecar.istio.io/inject": "false" } }),
      "gateway",
      "gateway-template",
    ],
    [
      "a pod that refuses injection never gets the template",
      plainPod({ ...templates("gateway"), labels: { "sidecar.istio.io/inject": "false" } }),
      "none",
      "injection-refused",
    ],
    ["a rendered sidecar is none, whatever its template", sidecarPod(templates("gateway")), "sidecar", "proxy-sidecar"],
    [
      "the Gateway API's label proves nothing",
      sidecarPod({ labels: { "gateway.networking.k8s.io/gateway-name": "edge" } }),
      "sidecar",
      "proxy-sidecar",
    ],
    // 5
    ["a classic sidecar", sidecarPod(), "sidecar", "proxy-sidecar"],
    ["a native sidecar", nativePod(), "sidecar", "proxy-sidecar"],
    [
      "a rendered sidecar stays one, though the pod refuses injection now",
      sidecarPod({ labels: { "sidecar.istio.io/inject": "false" } }),
      "sidecar",
      "proxy-sidecar",
    ],
    [
      "a rendered sidecar on the host network",
      sidecarPod({
        spec: { hostNetwork: true, containers: [{ name: "istio-proxy", image: "p", args: ["proxy", "sidecar"] }] },
      }),
      "sidecar",
      "proxy-sidecar",
    ],
    // 6
    [
      "the label refuses injection",
      plainPod({ labels: { "sidecar.istio.io/inject": "false" } }),
      "none",
      "injection-refused",
    ],
    [
      "the annotation refuses injection",
      plainPod({ annotations: { "sidecar.istio.io/inject": "false" } }),
      "none",
      "injection-refused",
    ],
    [
      "the label beats the annotation",
      plainPod({ labels: { "sidecar.istio.io/inject": "true" }, annotations: { "sidecar.istio.io/inject": "false" } }),
      "sidecar",
      "not-rendered",
    ],
    ["the host network refuses injection", plainPod({ spec: { hostNetwork: true } }), "none", "host-network"],
    // 7
    ["everything else may become a sidecar", plainPod(), "sidecar", "not-rendered"],
    ["a stub without a template may become one", stub(), "sidecar", "not-rendered"],
    [
      "an ordinary init container istio-proxy is no proxy",
      nativePod({ proxy: { restartPolicy: "Never" } }),
      "sidecar",
      "not-rendered",
    ],
    ["a pod of nothing", {}, "sidecar", "not-rendered"],
  ];
  for (const [name, pod, wanted, rule] of cases) {
    it(name, () => assert.deepEqual(decide(pod), [wanted, rule]));
  }

  it("the names of gateway templates are a setting", () => {
    assert.deepEqual(decide(stub(templates("edge")), ["edge", "east-west"]), ["gateway", "gateway-template"]);
    assert.deepEqual(decide(stub(templates("gateway")), ["edge"]), ["sidecar", "not-rendered"]);
  });
});
