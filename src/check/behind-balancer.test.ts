import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stringify } from "yaml";
import { parseManifest } from "../manifests/document.ts";
import { chunksOf } from "../manifests/stream.ts";
import { snapshotOf } from "../policy/snapshot.ts";
import { type Policy, validatePolicy } from "../policy/validate.ts";
import { isBehindBalancer } from "./behind-balancer.ts";
import { documents, gateway, type Lines, service } from "./example-manifests.ts";
import { gatewaysOf, inventoryOf } from "./inventory.ts";

const PORTS = "ports: [{ port: 443, targetPort: 8443 }]";
/** A Service for the mesh alone. */
const INSIDE = service("type: ClusterIP", PORTS);

function isBehind(texts: readonly string[], lines: Lines = {}, policies: readonly Policy[] = []): boolean {
  const sources = [...chunksOf(documents(gateway(lines), ...texts))].map((chunk) => {
    const manifest = parseManifest(chunk);
    assert.ok(manifest.ok);
    return { file: "edge.yaml", manifest };
  });
  const inventory = inventoryOf(sources, {
    snapshot: snapshotOf(policies, "gracegate"),
    hcImage: "registry.example/gracegate:1",
    gatewayTemplates: ["gateway"],
    namespace: "default",
    role: undefined,
  });
  const [found] = gatewaysOf(inventory);
  assert.ok(found);
  return isBehindBalancer(inventory, found);
}

const named = (kind: string, spec: object, namespace = "edge") =>
  stringify({ apiVersion: "example/v1", kind, metadata: { name: "front", namespace }, spec });
const backend = (name: string) => ({ service: { name, port: { number: 443 } } });
const ingress = (name: string, namespace?: string) => named("Ingress", { defaultBackend: backend(name) }, namespace);

function policy(namespace: string): Policy {
  const validated = validatePolicy({
    apiVersion: "gracegate.dev/v1alpha1",
    kind: "GracePolicy",
    metadata: { name: "default", namespace },
    spec: { gateway: { loadBalancer: { profile: "haproxy" } } },
  });
  assert.ok(validated.ok, JSON.stringify(validated));
  return validated.policy;
}

describe("a gateway is behind a balancer", () => {
  const cases: readonly (readonly [string, texts: readonly string[], lines?: Lines, policies?: readonly Policy[]])[] = [
    ["where nothing is known about its Services", []],
    ["where its Service is of type NodePort", [service("type: NodePort", PORTS)]],
    ["where its Service is of type LoadBalancer", [service("type: LoadBalancer", PORTS)]],
    ["where its Service has external addresses", [service("type: ClusterIP", "externalIPs: [192.0.2.1]", PORTS)]],
    [
      "where Google's container-native balancing goes to the pods of its Service",
      [INSIDE.replace("namespace: edge }", "namespace: edge, annotations: { cloud.google.com/neg: '{}' } }")],
    ],
    ["where a Service leads to hc by its port", [service("type: ClusterIP", "ports: [{ port: 18180 }]")]],
    ["where a Service leads to hc by its name", [service("type: ClusterIP", "ports: [{ port: 80, targetPort: hc }]")]],
    ["where one of two Services is reached from outside", [INSIDE, service("type: NodePort", PORTS)]],
    ["on the host network", [INSIDE], { pod: ["hostNetwork: true"] }],
    ["with a port of the node", [INSIDE], { container: ["ports: [{ containerPort: 8443, hostPort: 443 }]"] }],
    ["where an annotation says its profile", [INSIDE], { annotations: ["gracegate.dev/lb-profile: haproxy"] }],
    ["where a policy of its namespace says its profile", [INSIDE], {}, [policy("edge")]],
    ["where an Ingress has its Service as default", [INSIDE, ingress("edge")]],
    [
      "where a path of an Ingress leads to its Service",
      [INSIDE, named("Ingress", { rules: [{ http: { paths: [{ backend: backend("edge") }] } }] })],
    ],
    [
      "where an HTTPRoute leads to its Service",
      [INSIDE, named("HTTPRoute", { rules: [{ backendRefs: [{ name: "edge" }] }] })],
    ],
    [
      "where a TargetGroupBinding names its Service",
      [INSIDE, named("TargetGroupBinding", { serviceRef: { name: "edge" } })],
    ],
  ];
  for (const [name, ...given] of cases) it(name, () => assert.equal(isBehind(...given), true));
});

describe("a gateway is not behind a balancer", () => {
  const cases: readonly (readonly [string, texts: readonly string[], lines?: Lines, policies?: readonly Policy[]])[] = [
    ["where its only Service is for the mesh", [INSIDE]],
    ["where an Ingress leads to another Service", [INSIDE, ingress("shop")]],
    ["where an Ingress of another namespace names the same", [INSIDE, ingress("edge", "shop")]],
    ["where a policy for the whole cluster says a profile", [INSIDE], {}, [policy("gracegate")]],
    ["where a policy of another namespace says one", [INSIDE], {}, [policy("shop")]],
    ["with a port of its own that is none of the node", [INSIDE], { container: ["ports: [{ containerPort: 8443 }]"] }],
  ];
  for (const [name, ...given] of cases) it(name, () => assert.equal(isBehind(...given), false));
});
