/**
 * S6 and S7: applications behind sidecars, in a namespace as people have it and in one that is opted in. The caller is in
 * the mesh too, so `gracegate probe` runs in a pod there.
 */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { type JsonObject, objectAt, textAt } from "../src/pod/json.ts";
import { IMAGE } from "../test/e2e/node/node.ts";
import { endsWithUs } from "./children.ts";
import type { Cluster } from "./cluster.ts";
import { watchEndings } from "./endings.ts";
import type { ProbeReport } from "./probe.ts";
import { countsOf, type Record } from "./record.ts";
import { isAvailable } from "./rig.ts";
import { CLEAN_S } from "./scenarios.ts";
import { until } from "./wait.ts";

/** As people have it, and opted in. */
export type MeshMode = "current" | "improved";

/** How the sidecar is injected. */
type Kind = "classic" | "native";

/** Length of a request of S6, seconds. */
const REQUEST_S = 20;

/** Pods that S7 starts. */
const STARTS = 10;

const image = `${IMAGE.repository}:${IMAGE.tag}`;

/** Makes a namespace with a caller in it. */
export async function prepareMesh(cluster: Cluster, mode: MeshMode): Promise<void> {
  const labels = {
    "istio-injection": "enabled",
    ...(mode === "improved" ? { "gracegate.dev/injection": "enabled" } : {}),
  };
  const namespace = namespaceOf(mode);
  cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } });
  if (mode === "improved") {
    const sidecar = { requestP99: `${REQUEST_S}s`, applicationPreStopSleep: "5s" };
    cluster.apply({
      apiVersion: "gracegate.dev/v1alpha1",
      kind: "GracePolicy",
      metadata: { name: "default", namespace },
      spec: { sidecar },
    });
  }
  const idle = { name: "caller", image, imagePullPolicy: "Never", args: ["probe-target", "--port", "8080"] };
  cluster.apply(deployment(cluster, namespace, "caller", "native", 1, idle));
  await ready(cluster, namespace, "caller");
}

/** S6: an application with requests of 20 s is rolled; the caller is in the mesh. */
export async function rolledApplication(
  cluster: Cluster,
  mode: MeshMode,
  kind: Kind,
  logFolder: string,
): Promise<Record> {
  const namespace = namespaceOf(mode);
  const name = `app-${kind}`;
  const container = {
    name: "app",
    image,
    imagePullPolicy: "Never",
    args: ["probe-target", "--port", "8080", "--grace", `${REQUEST_S + 5}s`],
    readinessProbe: { httpGet: { path: "/counts", port: 8080 }, periodSeconds: 1, timeoutSeconds: 5 },
  };
  cluster.apply(deployment(cluster, namespace, name, kind, 2, container), {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { selector: { app: name }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
  });
  await ready(cluster, namespace, name);
  const service = JSON.parse(cluster.kubectl("-n", namespace, "get", "service", name, "-o", "json")) as JsonObject;
  const url = `http://${textAt(objectAt(service, "spec"), "clusterIP")}/sleep?seconds=${REQUEST_S}`;
  // A caller's proxy hears of a new Service some moments after it was made.
  await until("the caller reaches the application", () =>
    isReached(cluster, namespace, url.replace(/sleep.*/, "counts")),
  );
  const endings = await watchEndings(cluster.node, namespace, logFolder);
  try {
    const duration = CLEAN_S + REQUEST_S + 30;
    const args = ["load", url, "--rate", "3", "--duration", `${duration}s`];
    const running = probeInside(cluster, namespace, args);
    await wait(CLEAN_S * 1000 + REQUEST_S * 1000);
    cluster.kubectl("-n", namespace, "rollout", "restart", `deployment/${name}`);
    const report = await running;
    await ready(cluster, namespace, name);
    await until("old pods are gone", () => endings.leaving === 0);
    const early = report.losses.some(({ atMs }) => atMs < (CLEAN_S + REQUEST_S) * 1000);
    const counts = countsOf([report]);
    return {
      ...{ scenario: "S6", part: kind, mode, repeat: 1 },
      ...counts,
      words: `${counts.answered5xx} / ${counts.connectionErrors} of ${counts.started}`,
      isVoid: [...report.isVoid, ...(early ? ["a request was lost before the rollout"] : [])],
      pods: endings.ended.filter(({ pod }) => pod.startsWith(`${name}-`)),
      failedHooks: 0,
      plots: [],
    };
  } finally {
    endings.stop();
    cluster.kubectl("-n", namespace, "delete", "deployment,service", name, "--wait=false");
  }
}

/** S7: applications that call out in their first millisecond, each once. */
export async function firstCalls(cluster: Cluster, mode: MeshMode): Promise<Record> {
  const namespace = namespaceOf(mode);
  const call = `fetch("http://${cluster.applicationAddress}/counts").then((answer) => answer.status, (error) => error.cause?.code)`;
  const program = `${call}.then((end) => console.log("first call:", end)); setInterval(() => {}, 1000);`;
  const container = {
    name: "app",
    image,
    imagePullPolicy: "Never",
    command: ["node", "-e", `process.once("SIGTERM", () => process.exit()); ${program}`],
  };
  cluster.apply(deployment(cluster, namespace, "starter", "classic", STARTS, container));
  await ready(cluster, namespace, "starter");
  let ends: readonly string[] = [];
  await until("every application said how its call went", () => {
    const logs = cluster.kubectl("-n", namespace, "logs", "--selector", "app=starter", "-c", "app");
    ends = [...logs.matchAll(/first call: (\w+)/g)].map(([, end]) => end ?? "");
    return ends.length === STARTS;
  });
  const answered = ends.filter((end) => end === "200").length;
  const failed = ends.length - answered;
  const losses = Object.fromEntries(
    ends.filter((end) => end !== "200").map((end, _, all) => [end, all.filter((one) => one === end).length]),
  );
  cluster.kubectl("-n", namespace, "delete", "deployment", "starter", "--wait=false");
  return {
    ...{ scenario: "S7", mode, repeat: 1, started: ends.length, lost: failed },
    ...{ answered5xx: 0, connectionErrors: failed, losses },
    words: `${answered} of ${STARTS} first calls answered`,
    ...{ isVoid: [], pods: [], failedHooks: 0, plots: [] },
  };
}

function namespaceOf(mode: MeshMode): string {
  return `mesh-${mode}`;
}

function deployment(
  cluster: Cluster,
  namespace: string,
  name: string,
  kind: Kind,
  replicas: number,
  container: JsonObject,
): JsonObject {
  const labels = { app: name };
  const annotations = { "sidecar.istio.io/nativeSidecar": String(kind === "native") };
  const spec = { hostAliases: [cluster.hostAliases], containers: [container] };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels, annotations }, spec } },
  };
}

function ready(cluster: Cluster, namespace: string, name: string): Promise<void> {
  return until(`${name} is Available`, () => isAvailable(cluster, namespace, name));
}

function isReached(cluster: Cluster, namespace: string, url: string): boolean {
  const get = ["node", "-e", `fetch("${url}").then((answer) => process.exit(answer.ok ? 0 : 1))`];
  const { status } = cluster.node.kubectl(["-n", namespace, "exec", "deployment/caller", "-c", "caller", "--", ...get]);
  return status === 0;
}

/** Runs `gracegate probe` in the caller's pod. */
async function probeInside(cluster: Cluster, namespace: string, args: readonly string[]): Promise<ProbeReport> {
  const words = ["-n", namespace, "exec", "deployment/caller", "-c", "caller", "--", "gracegate", "probe", ...args];
  const all = ["--kubeconfig", cluster.node.kubeconfig, ...words, "-o", "json"];
  const child = endsWithUs(spawn("kubectl", all, { stdio: ["ignore", "pipe", "pipe"] }));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  try {
    return JSON.parse(out) as ProbeReport;
  } catch {
    throw new Error(`gracegate probe in the mesh did not report: ${err}`);
  }
}
