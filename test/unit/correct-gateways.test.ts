/**
 * Gateways as they should be, with all that belongs to them, in the ways in which people keep them: no rule of check
 * fires. The same with everything wrong that --fix can mend: after it, check is clean, in every way of writing.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseAllDocuments, stringify } from "yaml";
import { repaired } from "../../src/check/fix.ts";
import { inventoryOf } from "../../src/check/inventory.ts";
import { rules } from "../../src/check/rules.ts";
import { runRules } from "../../src/check/run.ts";
import { parseManifest } from "../../src/manifests/document.ts";
import { chunksOf } from "../../src/manifests/stream.ts";
import type { JsonObject } from "../../src/pod/json.ts";
import { snapshotOf } from "../../src/policy/snapshot.ts";

const options = {
  snapshot: snapshotOf([], "gracegate"),
  hcImage: "registry.example/gracegate:1",
  gatewayTemplates: ["gateway"],
  namespace: "default",
  role: undefined,
};

const template = `
      labels: { app: edge, istio: ingressgateway, sidecar.istio.io/inject: "true" }
      annotations: { inject.istio.io/templates: gateway }
    spec:
      serviceAccountName: edge
      terminationGracePeriodSeconds: 75
      containers:
        - name: istio-proxy
          image: auto # Istio's injector fills it in
          imagePullPolicy: IfNotPresent
          ports: [{ containerPort: 8443 }]
          resources: { requests: { cpu: 100m, memory: 128Mi }, limits: { cpu: "2", memory: 1Gi } }`;

const workloads: Readonly<Record<string, string>> = {
  Deployment: `apiVersion: apps/v1
kind: Deployment
metadata: { name: edge, namespace: edge }
spec:
  replicas: 3
  minReadySeconds: 7
  strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
  selector: { matchLabels: { app: edge } }
  template:
    metadata:${template}
`,
  DaemonSet: `apiVersion: apps/v1
kind: DaemonSet
metadata: { name: edge, namespace: edge }
spec:
  minReadySeconds: 7
  updateStrategy: { type: RollingUpdate, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
  selector: { matchLabels: { app: edge } }
  template:
    metadata:${template}
`,
  Rollout: `apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: { name: edge, namespace: edge }
spec:
  replicas: 3
  minReadySeconds: 7
  strategy: { canary: { maxSurge: 1, maxUnavailable: 0, steps: [{ setWeight: 50 }, { pause: {} }] } }
  selector: { matchLabels: { app: edge } }
  template:
    metadata:${template}
`,
};

/** What stands beside a gateway in a repository. */
const others = `apiVersion: v1
kind: Namespace
metadata: { name: edge, labels: { gracegate.dev/injection: enabled } }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: edge, namespace: edge }
---
apiVersion: v1
kind: Service
metadata:
  name: edge
  namespace: edge
  annotations:
    service.beta.kubernetes.io/aws-load-balancer-healthcheck-port: "30180"
spec:
  type: LoadBalancer
  externalTrafficPolicy: Local
  selector: { app: edge }
  ports: [{ name: https, port: 443, targetPort: 8443 }]
---
apiVersion: v1
kind: Service
metadata: { name: edge-hc, namespace: edge }
spec:
  type: NodePort
  externalTrafficPolicy: Local
  selector: { app: edge }
  ports: [{ name: hc, port: 18180, targetPort: 18180, nodePort: 30180 }]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: edge, namespace: edge }
spec: { maxUnavailable: 1, selector: { matchLabels: { app: edge } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: edge, namespace: edge }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: edge }, minReplicas: 3, maxReplicas: 9 }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: edge, namespace: edge }
spec:
  podSelector: { matchLabels: { app: edge } }
  policyTypes: [Ingress]
  ingress: [{ ports: [{ port: 8443 }, { port: 15021 }, { port: 18180 }, { port: 18182 }] }]
---
apiVersion: v1
kind: LimitRange
metadata: { name: limits, namespace: edge }
spec:
  limits:
    - { type: Container, max: { cpu: "4", memory: 4Gi }, min: { cpu: 5m }, default: { cpu: "1" } }
    - { type: Pod, max: { cpu: "8", memory: 8Gi } }
---
apiVersion: v1
kind: ResourceQuota
metadata: { name: quota, namespace: edge }
spec: { hard: { limits.memory: 40Gi, pods: "50" } }
---
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: web, namespace: edge }
spec:
  selector: { istio: ingressgateway }
  servers: [{ port: { number: 443, name: https, protocol: HTTPS }, hosts: ["*.example.com"], tls: { mode: SIMPLE, credentialName: web } }]
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: shop, namespace: edge }
spec:
  hosts: [shop.example.com]
  gateways: [web]
  http:
    - match: [{ uri: { prefix: / } }]
      route: [{ destination: { host: cart.shop.svc.cluster.local, port: { number: 80 } } }]
      timeout: 30s
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: public, namespace: edge }
spec: { gatewayClassName: istio, listeners: [{ name: https, port: 443, protocol: HTTPS }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: shop, namespace: edge }
spec: { parentRefs: [{ name: public }], rules: [{ backendRefs: [{ name: cart, port: 80 }], timeouts: { request: 30s } }] }
---
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [deployment.yaml]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: dashboards, namespace: edge }
data: { pod.yaml: "apiVersion: v1\\nkind: Pod\\nspec: {}\\n" }
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: { name: edge, namespace: edge }
spec: { groups: [{ name: edge, rules: [{ alert: Slow, expr: "histogram_quantile(0.99, istio_request_duration_milliseconds_bucket) > 1" }] }] }
`;

const styles: Readonly<Record<string, (stream: string) => string>> = {
  "as a person writes it": (stream) => stream,
  "as kustomize builds it": (stream) =>
    valuesOf(stream)
      .map((value) => stringify(value, { indentSeq: false, sortMapEntries: true, lineWidth: 0 }))
      .join("---\n"),
  "as kubectl get prints it": (stream) =>
    stringify({ apiVersion: "v1", items: valuesOf(stream), kind: "List", metadata: { resourceVersion: "" } }),
  "as helm template prints it": (stream) =>
    valuesOf(stream)
      .map((value) => `---\n# Source: edge/templates/${String(value.kind).toLowerCase()}.yaml\n${stringify(value)}`)
      .join(""),
  "as JSON": (stream) =>
    `${JSON.stringify({ apiVersion: "v1", kind: "List", items: valuesOf(stream) }, undefined, 2)}\n`,
  "with Windows line ends": (stream) => stream.replaceAll("\n", "\r\n"),
};

function valuesOf(stream: string): readonly JsonObject[] {
  return parseAllDocuments(stream).map((document) => document.toJS() as JsonObject);
}

function check(stream: string) {
  const manifests = [...chunksOf(stream)].map((chunk) => {
    const parsed = parseManifest(chunk);
    assert.ok(parsed.ok, parsed.ok ? "" : parsed.reason);
    return parsed;
  });
  const inventory = inventoryOf(
    manifests.map((manifest) => ({ file: "edge.yaml", manifest })),
    options,
  );
  const results = runRules(inventory, rules);
  const texts = repaired(results);
  return {
    found: results.map(({ rule, message }) => `${rule}: ${message}`),
    rules: [...new Set(results.map(({ rule }) => rule))].toSorted(),
    fixed: manifests.map((manifest) => texts.get(manifest) ?? manifest.chunk.text).join(""),
  };
}

/** All that --fix mends, in one gateway. */
const BROKEN = workloads.Deployment?.replace("  minReadySeconds: 7\n", "")
  .replace(
    "          imagePullPolicy: IfNotPresent\n",
    '          lifecycle: { preStop: { exec: { command: [sleep, "60"] } } } # the old way\n',
  )
  .replace("terminationGracePeriodSeconds: 75", "terminationGracePeriodSeconds: 30")
  .replace(
    "annotations: { inject.istio.io/templates: gateway }",
    `annotations:
        inject.istio.io/templates: gateway
        proxy.istio.io/config: |
          drainDuration: 50
          proxyMetadata:
            MINIMUM_DRAIN_DURATION: 5s
            EXIT_ON_ZERO_ACTIVE_CONNECTIONS: true`,
  );

describe("gateways in the ways in which people keep them", () => {
  for (const [style, write] of Object.entries(styles)) {
    for (const [kind, workload] of Object.entries(workloads)) {
      it(`a right ${kind}, ${style}, is no finding`, () => {
        const own = kind === "Deployment" ? others : others.replace("kind: Deployment, name", `kind: ${kind}, name`);
        assert.deepEqual(check(write(`${own}---\n${workload}`)).found, []);
      });
    }

    it(`one with all that --fix mends, ${style}, is clean after it`, () => {
      const first = check(write(`${others}---\n${BROKEN}`));
      assert.deepEqual(first.rules, [
        "duration-without-unit",
        "grace-too-small",
        "min-ready-seconds",
        "proxy-metadata-unquoted",
        "stub-pull-policy",
      ]);
      let { fixed } = first;
      // A duration that could not be read says something once it can be: a second run may find what the first could not.
      for (let run = 0; run < 2; run++) fixed = check(fixed).fixed;
      assert.deepEqual(check(fixed).found, []);
    });
  }
});
