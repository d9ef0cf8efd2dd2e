/**
 * Pods as people write them, which both webhooks then change: one for each kind that comes out differently.
 */
import type { JsonObject } from "../../../src/pod/json.ts";

/** One pod. */
export interface Case {
  readonly name: string;
  /** What is special about it. */
  readonly says: string;
  readonly namespace?: string;
  readonly labels?: JsonObject;
  readonly annotations?: JsonObject;
  readonly spec: JsonObject;
}

const app: JsonObject = {
  name: "web",
  image: "registry.example/shop/web:7",
  ports: [{ containerPort: 8080 }],
  readinessProbe: { httpGet: { path: "/ready", port: 8080 } },
  lifecycle: { preStop: { exec: { command: ["/bin/sh", "-c", "sleep 10"] } } },
};

const CLASSIC = { "sidecar.istio.io/nativeSidecar": "false" };

/** A proxy that the injector fills in. */
const stub: JsonObject = { name: "istio-proxy", image: "auto", imagePullPolicy: "IfNotPresent" };

/** All of them. */
export const cases: readonly Case[] = [
  { name: "classic", says: "an ordinary sidecar", annotations: CLASSIC, spec: { containers: [app] } },
  { name: "native", says: "a native sidecar", spec: { containers: [app] } },
  {
    name: "gateway",
    says: "a gateway by Istio's gateway template",
    labels: { "sidecar.istio.io/inject": "true", istio: "edge" },
    annotations: { "inject.istio.io/templates": "gateway" },
    spec: { containers: [{ ...stub, ports: [{ name: "https", containerPort: 8443 }] }] },
  },
  {
    name: "stub",
    says: "a sidecar whose user wrote a part of it, hook included",
    annotations: CLASSIC,
    spec: {
      containers: [
        app,
        {
          ...stub,
          lifecycle: { preStop: { exec: { command: ["sleep", "15"] } } },
          env: [{ name: "MINE", value: "1" }],
        },
      ],
    },
  },
  {
    name: "stub-native",
    says: "the same as a native sidecar",
    spec: { containers: [app, { ...stub, lifecycle: { preStop: { exec: { command: ["sleep", "15"] } } } }] },
  },
  {
    name: "tuned",
    says: "somebody tuned the proxy before",
    annotations: {
      ...CLASSIC,
      "proxy.istio.io/config": [
        "# agreed with the payments team",
        "concurrency: 2",
        "terminationDrainDuration: 33s   # longest report takes 30 s",
        "proxyMetadata:",
        "  ISTIO_META_IDLE_TIMEOUT: 1h",
        "proxyStatsMatcher:",
        '  inclusionRegexps: [".*circuit_breakers.*"]',
        "",
      ].join("\n"),
    },
    spec: { terminationGracePeriodSeconds: 77, containers: [app] },
  },
  {
    name: "job",
    says: "the pod of a Job, which must not be held",
    labels: { "batch.kubernetes.io/job-name": "report" },
    annotations: CLASSIC,
    spec: { restartPolicy: "Never", containers: [{ name: "report", image: "registry.example/shop/report:1" }] },
  },
  {
    name: "revision",
    says: "a namespace that names a revision of Istio",
    namespace: "revision",
    annotations: CLASSIC,
    spec: { containers: [app] },
  },
  {
    name: "overrides",
    says: "a pod that brings Istio's own note of what its user overrode",
    annotations: {
      ...CLASSIC,
      "proxy.istio.io/overrides": '{"containers":[{"name":"istio-proxy","resources":{"requests":{"cpu":"20m"}}}]}',
    },
    spec: { containers: [app] },
  },
];
