/**
 * Objects of a running cluster, read with kubectl: whatever logs a person in for kubectl logs this program in.
 */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { isObject, type JsonObject, objectsAt } from "../pod/json.ts";

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

/** Reads all objects that rules are about. */
export async function readCluster(choice: ClusterChoice): Promise<FromCluster<readonly JsonObject[]>> {
  const names = await kubectl(choice, ["api-resources", "--verbs=list", "-o", "name"]);
  if (!names.ok) return names;
  const there = new Set(names.value.split(/\s+/));
  const wanted = RESOURCES.filter((name) => there.has(name));
  const scope = choice.namespace === undefined ? ["-A"] : ["-n", choice.namespace];
  const listed = await kubectl(choice, ["get", wanted.join(","), ...scope, "-o", "json"]);
  if (!listed.ok) return listed;
  return { ok: true, value: objectsAt(JSON.parse(listed.value), "items") };
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
  return { ok: false, reason: stderr.trim().split("\n").at(-1) ?? `kubectl ended with ${code}` };
}
