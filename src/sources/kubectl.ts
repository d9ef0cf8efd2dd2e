/**
 * Objects of a running cluster, read with kubectl: whatever logs a person in for kubectl logs this program in.
 */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../pod/json.ts";

/** Which cluster, and how much of it. */
export interface ClusterChoice {
  /** Undefined: the current context. */
  readonly context: string | undefined;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
}

/** What kubectl gave, or one sentence why it did not. */
export type FromCluster<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** How long an answer of the API server is waited for. */
const PATIENCE = "--request-timeout=20s";

/** Kinds that rules are about, as `kubectl api-resources -o name` names them. */
const RESOURCES: readonly string[] = [
  "pods",
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "cronjobs.batch",
  "rollouts.argoproj.io",
  "services",
  "poddisruptionbudgets.policy",
  "networkpolicies.networking.k8s.io",
  "horizontalpodautoscalers.autoscaling",
  "limitranges",
  "resourcequotas",
  "namespaces",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "prometheusrules.monitoring.coreos.com",
  "gracepolicies.gracegate.dev",
];

/** Kinds that only some rules need, and that not everybody may read. */
const OPTIONAL: readonly string[] = [
  "virtualservices.networking.istio.io",
  "gateways.networking.istio.io",
  "envoyfilters.networking.istio.io",
  "httproutes.gateway.networking.k8s.io",
  "ingresses.networking.k8s.io",
  "targetgroupbindings.elbv2.k8s.aws",
  "priorityclasses.scheduling.k8s.io",
  "nodes",
];

/** Kubelets that are asked for their configuration: those of a pool are alike, and each costs a call. */
const KUBELETS = 12;

/** Reads all objects that rules are about. */
export async function readCluster(choice: ClusterChoice): Promise<FromCluster<readonly JsonObject[]>> {
  const names = await kubectl(choice, ["api-resources", "--verbs=list", "-o", "name"]);
  if (!names.ok) return names;
  const there = new Set(names.value.split(/\s+/));
  const scope = choice.namespace === undefined ? ["-A"] : ["-n", choice.namespace];
  const list = async (kinds: readonly string[]): Promise<FromCluster<readonly JsonObject[]>> => {
    if (kinds.length === 0) return { ok: true, value: [] };
    const listed = await kubectl(choice, ["get", kinds.join(","), ...scope, "-o", "json"]);
    return listed.ok ? { ok: true, value: objectsAt(JSON.parse(listed.value), "items") } : listed;
  };
  const needed = await list(RESOURCES.filter((name) => there.has(name)));
  if (!needed.ok) return needed;
  const optional = await Promise.all(OPTIONAL.filter((name) => there.has(name)).map((name) => list([name])));
  const objects = [...needed.value, ...optional.flatMap((read) => (read.ok ? read.value : []))];
  return { ok: true, value: [...objects, ...(await readKubelets(choice, objects))] };
}

/** The Deployments of Gracegate itself, in whatever namespace they are; none where they may not be read. */
export async function readInstalled(choice: ClusterChoice): Promise<readonly JsonObject[]> {
  const got = await kubectl(choice, [
    "get",
    "deployments",
    "-A",
    "-l",
    "app.kubernetes.io/name=gracegate",
    "-o",
    "json",
  ]);
  return got.ok ? objectsAt(JSON.parse(got.value), "items") : [];
}

/** All policies, for a check of one namespace, in which those of the root namespace hold too; none where that is refused. */
export async function readPolicies(choice: ClusterChoice): Promise<readonly JsonObject[]> {
  const got = await kubectl(choice, ["get", "gracepolicies.gracegate.dev", "-A", "-o", "json"]);
  return got.ok ? objectsAt(JSON.parse(got.value), "items") : [];
}

/** A ConfigMap as a text, to be read as any mesh config; undefined where it is not there or may not be read. */
export async function readConfigMap(choice: ClusterChoice, place: string): Promise<string | undefined> {
  const [namespace = "", name = ""] = place.split("/");
  const got = await kubectl(choice, ["get", "configmap", "-n", namespace, name, "-o", "json"]);
  return got.ok ? got.value : undefined;
}

/** The configuration of some kubelets, which the API server passes on to those who may read nodes/proxy. */
async function readKubelets(choice: ClusterChoice, objects: readonly JsonObject[]): Promise<readonly JsonObject[]> {
  const nodes = objects
    .filter(({ kind }) => kind === "Node")
    .map((node) => textAt(objectAt(node, "metadata"), "name") ?? "")
    .toSorted();
  // From all over the list, since names that are alike are of one pool.
  const asked = nodes.filter((_, index) => index % Math.ceil(nodes.length / KUBELETS) === 0);
  const answers = await Promise.all(
    asked.map(async (name) => {
      const got = await kubectl(choice, ["get", "--raw", `/api/v1/nodes/${name}/proxy/configz`]);
      if (!got.ok) return [];
      const config = objectAt(JSON.parse(got.value), "kubeletconfig");
      const head = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration", metadata: { name } };
      return [{ ...config, ...head }];
    }),
  );
  return answers.flat();
}

/** Asks the API server to make a pod without making it, and returns what its webhooks made of it. */
export async function tryPod(
  choice: ClusterChoice,
  namespace: string,
  pod: JsonObject,
): Promise<FromCluster<JsonObject>> {
  const args = ["create", "--dry-run=server", "-n", namespace, "-f", "-", "-o", "json"];
  const made = await kubectl(choice, args, JSON.stringify(pod));
  if (!made.ok) return made;
  const value: unknown = JSON.parse(made.value);
  return isObject(value) ? { ok: true, value } : { ok: false, reason: "kubectl gave no object" };
}

async function kubectl(choice: ClusterChoice, args: readonly string[], input = ""): Promise<FromCluster<string>> {
  const context = choice.context === undefined ? [] : ["--context", choice.context];
  const child = spawn("kubectl", [...context, PATIENCE, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const ended = new Promise<number | Error>((resolve) => {
    child.once("error", resolve);
    child.once("close", (code) => resolve(code ?? 1));
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code instanceof Error)
    return { ok: false, reason: "kubectl is not in PATH; install it, or check manifests with -f" };
  if (code === 0) return { ok: true, value: stdout };
  // klog's lines come first; the last line is kubectl's own sentence.
  return {
    ok: false,
    reason:
      stderr
        .trim()
        .split("\n")
        .at(-1)
        ?.replace(/^error: /, "") || `kubectl ended with ${code}`,
  };
}
