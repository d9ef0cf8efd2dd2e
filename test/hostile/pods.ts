/**
 * Pods with every field that the pipeline looks at, as seeds that a hostile one grows from.
 */
import type { JsonObject } from "../../src/pod/json.ts";
import { overrides } from "../../src/policy/overrides.ts";
import { gatewayPod, nativePod, plainPod, run, sidecarPod } from "../unit/pods.ts";

const VALUES: Readonly<Record<string, string>> = {
  duration: "36s",
  "true or false": "true",
  image: "registry.example/hc:2",
};

/** One of each override, with a value that parses; the ones that leave a pod alone are not among them. */
const everyOverride = Object.fromEntries(
  overrides
    .filter(({ name }) => !["role", "inject", "mode", "hc"].includes(name))
    .map(({ name, type }) => [`gracegate.dev/${name}`, VALUES[type] ?? (type.startsWith("number") ? "9" : "haproxy")]),
);

const annotations = {
  ...everyOverride,
  "proxy.istio.io/config": "terminationDrainDuration: 33s\nproxyMetadata:\n  A: b\n",
  "inject.istio.io/templates": "gateway",
  "sidecar.istio.io/inject": "true",
  "sidecar.istio.io/proxyImageType": "debug",
  "sidecar.istio.io/statsInclusionSuffixes": "a,b",
  "status.sidecar.istio.io/port": "15021",
  "example.com/other": "text",
};

const container = (name: string): JsonObject => ({
  name,
  image: "registry.example/shop/cart:4.2",
  command: ["/cart"],
  args: ["--port", "8080"],
  env: [
    { name: "A", value: "b" },
    { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
  ],
  ports: [{ name: "http", containerPort: 8080 }],
  resources: { requests: { cpu: "100m" }, limits: { cpu: "1", memory: "64Mi" } },
  lifecycle: {
    preStop: { exec: { command: ["sh", "-c", "nginx -s quit; sleep 5"] } },
    postStart: { exec: { command: ["true"] } },
  },
  readinessProbe: { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 5 },
  securityContext: { capabilities: { drop: ["ALL"] } },
  volumeMounts: [{ name: "data", mountPath: "/data" }],
});

const proxy = {
  env: [
    { name: "EXIT_ON_ZERO_ACTIVE_CONNECTIONS", value: "false" },
    { name: "MINIMUM_DRAIN_DURATION", value: "12s" },
  ],
  lifecycle: { preStop: { exec: { command: ["sleep", "7"] } } },
};

const spec = {
  resources: { requests: { cpu: "2" }, limits: { cpu: "4" } },
  imagePullSecrets: [{ name: "registry" }],
  tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute" }],
  volumes: [{ name: "data", emptyDir: {} }],
  nodeSelector: { "kubernetes.io/os": "linux" },
  os: { name: "linux" },
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 45,
};

const parts = { annotations, labels: { app: "web" }, spec, others: [container("app"), container("log")] };
const hc = { ...container("hc"), image: "registry.example/hc:2" };

function withMetadata(pod: JsonObject): JsonObject {
  return {
    ...pod,
    metadata: {
      ...(pod.metadata as JsonObject),
      name: "web-0",
      ownerReferences: [{ kind: "ReplicaSet", name: "web-1", controller: true }],
      managedFields: [{ manager: "kubectl", fieldsV1: { "f:metadata": { "f:annotations": { "f:a": {} } } } }],
    },
  };
}

/** After a first call, so that there is a status to forge; our hc and the hooks are there. */
const again = (pod: JsonObject, policy = {}) => run(pod, policy).pod;
const plain = { ...parts, annotations: { "proxy.istio.io/config": "a: b\n" } };
const everything = { hc: { extraEnv: [{ name: "X", value: "y" }], imagePullSecrets: [{ name: "mirror" }] } };

/** The seeds, by what they are. */
export const seeds: readonly (readonly [string, JsonObject])[] = (
  [
    ["a gateway", gatewayPod({ ...parts, proxy })],
    ["a gateway with our hc", gatewayPod({ ...parts, proxy, others: [hc, ...parts.others] })],
    ["a gateway, second call", again(gatewayPod(plain), { gateway: everything })],
    ["a sidecar", sidecarPod({ ...parts, proxy })],
    ["a sidecar, second call", again(sidecarPod(plain), { sidecar: { applicationPreStopSleep: 5 } })],
    ["a native sidecar", nativePod(parts)],
    ["a pod before injection", plainPod(parts)],
  ] as const
).map(([name, pod]) => [name, withMetadata(pod)]);
