/**
 * Pods for the benchmarks: of the shape that Istio's injector makes, in any size.
 */
import type { JsonObject } from "../src/pod/json.ts";

/** Size of an ordinary injected pod's review, bytes. */
export const ORDINARY = 10_000;

/**
 * An AdmissionReview for a pod with a classic sidecar and an annotation that Istio rendered from.
 *
 * @param bytes about how large the review is
 * @param namespace where the pod is created
 */
export function sidecarReview(bytes: number, namespace = "shop"): string {
  const small = review(pod(0), namespace);
  const filler = Math.max(0, bytes - small.length);
  return review(pod(Math.floor(filler / FILLER.length)), namespace);
}

/**
 * Ordinary reviews whose annotations are all different, more of them than the webhook remembers.
 *
 * @param count how many
 */
export function differentReviews(count: number): readonly string[] {
  const review = sidecarReview(ORDINARY);
  return Array.from({ length: count }, (_, index) =>
    review.replace("agreed with the shop team", `agreed with team ${index}`),
  );
}

/** One more variable of the application, as text. */
const FILLER = JSON.stringify({ name: "APPLICATION_SETTING_0000", value: "a value of a usual length, or so" });

function pod(variables: number): JsonObject {
  const env = (name: string, value: string) => ({ name, value });
  const field = (name: string, fieldPath: string) => ({
    name,
    valueFrom: { fieldRef: { apiVersion: "v1", fieldPath } },
  });
  const mount = (name: string, mountPath: string) => ({ name, mountPath });
  const token = {
    name: "kube-api-access-x2x7q",
    readOnly: true,
    mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
  };
  const ends = {
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
  };
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      generateName: "cart-7f47f6ffc9-",
      namespace: "shop",
      labels: {
        app: "cart",
        "pod-template-hash": "7f47f6ffc9",
        "security.istio.io/tlsMode": "istio",
        "service.istio.io/canonical-name": "cart",
        "service.istio.io/canonical-revision": "latest",
      },
      annotations: {
        "istio.io/rev": "default",
        "kubectl.kubernetes.io/default-container": "cart",
        "prometheus.io/port": "15020",
        "prometheus.io/scrape": "true",
        "proxy.istio.io/config":
          "# agreed with the shop team\nconcurrency: 2\nproxyMetadata:\n  ISTIO_META_IDLE_TIMEOUT: 30s\n",
        "sidecar.istio.io/status": JSON.stringify({
          initContainers: ["istio-init"],
          containers: ["istio-proxy"],
          volumes: ["workload-socket", "workload-certs", "istio-envoy", "istio-data", "istio-podinfo", "istio-token"],
          revision: "default",
        }),
      },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "cart-7f47f6ffc9",
          uid: "8bbfd688-3590-4cdc-8acd-9ec317d8dbb9",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: "kube-controller-manager",
          operation: "Update",
          apiVersion: "v1",
          time: "2026-11-01T12:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: {
            "f:metadata": { "f:generateName": {}, "f:labels": { ".": {}, "f:app": {}, "f:pod-template-hash": {} } },
            "f:spec": {
              "f:containers": {
                'k:{"name":"cart"}': {
                  ".": {},
                  "f:image": {},
                  "f:imagePullPolicy": {},
                  "f:name": {},
                  "f:ports": {},
                  "f:resources": {},
                },
              },
              "f:dnsPolicy": {},
              "f:restartPolicy": {},
              "f:schedulerName": {},
              "f:securityContext": {},
              "f:terminationGracePeriodSeconds": {},
            },
          },
        },
      ],
    },
    spec: {
      volumes: ["workload-socket", "workload-certs", "istio-envoy", "istio-data"].map((name) => ({
        name,
        emptyDir: {},
      })),
      initContainers: [
        {
          name: "istio-init",
          image: "registry.example/istio/proxyv2:1.31.0",
          args: ["istio-iptables", "-p", "15001", "-z", "15006", "-u", "1337", "-m", "REDIRECT", "-i", "*", "-b", "*"],
          resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "100m", memory: "128Mi" } },
          volumeMounts: [token],
          ...ends,
          securityContext: {
            capabilities: { add: ["NET_ADMIN", "NET_RAW"], drop: ["ALL"] },
            runAsUser: 0,
            runAsNonRoot: false,
          },
        },
      ],
      containers: [
        {
          name: "cart",
          image: "registry.example/shop/cart:4.2",
          ports: [{ containerPort: 8080, protocol: "TCP" }],
          env: Array.from({ length: variables }, (_, index) =>
            env(`APPLICATION_SETTING_${String(index).padStart(4, "0")}`, "a value of a usual length, or so"),
          ),
          resources: { requests: { cpu: "100m", memory: "128Mi" } },
          volumeMounts: [token],
          readinessProbe: {
            httpGet: { path: "/app-health/cart/readyz", port: 15020, scheme: "HTTP" },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
          ...ends,
        },
        {
          name: "istio-proxy",
          image: "registry.example/istio/proxyv2:1.31.0",
          args: ["proxy", "sidecar", "--domain", "$(POD_NAMESPACE).svc.cluster.local", "--proxyLogLevel=warning"],
          ports: [{ name: "http-envoy-prom", containerPort: 15090, protocol: "TCP" }],
          env: [
            env("PILOT_CERT_PROVIDER", "istiod"),
            env("CA_ADDR", "istiod.istio-system.svc:15012"),
            field("POD_NAME", "metadata.name"),
            field("POD_NAMESPACE", "metadata.namespace"),
            field("INSTANCE_IP", "status.podIP"),
            field("SERVICE_ACCOUNT", "spec.serviceAccountName"),
            field("HOST_IP", "status.hostIP"),
            env("PROXY_CONFIG", '{"concurrency":2,"proxyMetadata":{"ISTIO_META_IDLE_TIMEOUT":"30s"}}\n'),
            env("ISTIO_META_POD_PORTS", '[\n    {"containerPort":8080,"protocol":"TCP"}\n]'),
            env("ISTIO_META_APP_CONTAINERS", "cart"),
            env("ISTIO_META_CLUSTER_ID", "Kubernetes"),
            env("ISTIO_META_INTERCEPTION_MODE", "REDIRECT"),
            env("ISTIO_META_WORKLOAD_NAME", "cart"),
            env("ISTIO_META_OWNER", "kubernetes://apis/apps/v1/namespaces/shop/deployments/cart"),
            env("TRUST_DOMAIN", "cluster.local"),
          ],
          resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "100m", memory: "128Mi" } },
          volumeMounts: [
            mount("workload-socket", "/var/run/secrets/workload-spiffe-uds"),
            mount("workload-certs", "/var/run/secrets/workload-spiffe-credentials"),
            mount("istio-data", "/var/lib/istio/data"),
            mount("istio-envoy", "/etc/istio/proxy"),
            token,
          ],
          readinessProbe: {
            httpGet: { path: "/healthz/ready", port: 15021, scheme: "HTTP" },
            timeoutSeconds: 3,
            periodSeconds: 15,
            successThreshold: 1,
            failureThreshold: 4,
          },
          startupProbe: {
            httpGet: { path: "/healthz/ready", port: 15021, scheme: "HTTP" },
            timeoutSeconds: 3,
            periodSeconds: 1,
            successThreshold: 1,
            failureThreshold: 600,
          },
          ...ends,
          securityContext: { capabilities: { drop: ["ALL"] }, privileged: false, runAsUser: 1337, runAsNonRoot: true },
        },
      ],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      serviceAccountName: "default",
      securityContext: {},
      schedulerName: "default-scheduler",
    },
  };
}

function review(object: JsonObject, namespace: string): string {
  return JSON.stringify({
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid: "705f18a4-bd89-46a2-b00a-6370e1c4cebd",
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      namespace,
      operation: "CREATE",
      userInfo: { username: "system:serviceaccount:kube-system:replicaset-controller" },
      object,
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    },
  });
}
