/**
 * What only a running cluster can tell: pods whose injection is missing, half done or outdated, and whether the webhook
 * answers at all.
 */

import type { Severity } from "../codes/registry.ts";
import { makePatch } from "../mutate/patch.ts";
import { runPipeline } from "../mutate/pipeline.ts";
import { OVERRIDE_PREFIX, STATUS } from "../pod/annotations.ts";
import { type JsonObject, objectAt, textAt, valueAt } from "../pod/json.ts";
import { type Inventory, itemsOf, titleOfItem, type Workload } from "./inventory.ts";
import type { PlacedFinding } from "./run.ts";

/** Which pods the webhook is called for: its namespaceSelector and objectSelector. */
const NAMESPACE_LABEL = `${OVERRIDE_PREFIX}injection`;
const POD_LABEL = `${OVERRIDE_PREFIX}inject`;

/** Findings about the pods that run. */
export function injectionFindings(inventory: Inventory): readonly PlacedFinding[] {
  const optedIn = optedInNamespaces(inventory);
  return inventory.workloads
    .filter((one) => one.kind === "Pod" && isRunning(one) && one.role !== "none")
    .filter((pod) => optedIn.has(pod.namespace) || textAt(pod.labels, POD_LABEL) === "true")
    .flatMap((pod) => findingOf(pod, inventory));
}

/** The namespaces that are opted in. */
export function optedInNamespaces(inventory: Inventory): ReadonlySet<string> {
  return new Set(
    itemsOf(inventory, "Namespace")
      .filter(({ object }) => textAt(objectAt(objectAt(object, "metadata"), "labels"), NAMESPACE_LABEL) === "enabled")
      .map(({ name }) => name),
  );
}

function isRunning({ object }: Workload): boolean {
  const phase = textAt(objectAt(object, "status"), "phase");
  const isLeaving = valueAt(objectAt(object, "metadata"), "deletionTimestamp") !== undefined;
  return !isLeaving && phase !== "Succeeded" && phase !== "Failed";
}

function findingOf(item: Workload, inventory: Inventory): readonly PlacedFinding[] {
  // Nodes, tokens and the like came after admission; the pipeline looks at none of them.
  const outcome = runPipeline(item.pod, item.namespace, inventory.options);
  const hasStatus = valueAt(objectAt(objectAt(item.pod, "metadata"), "annotations"), STATUS) !== undefined;
  const changes = makePatch(item.pod, outcome.pod).filter(({ path }) => !path.endsWith("gracegate.dev~1status"));
  if (!hasStatus) {
    const fix = "restart its workload; if it stays so, look at the webhook's log and configuration";
    return [finding(item, "injection-missing", "error", "the pod was created without Gracegate.", fix)];
  }
  if (changes.length === 0) return [];
  const isHalf = changes.some(
    ({ path }) => path.startsWith("/spec/containers") || path.startsWith("/spec/initContainers"),
  );
  const paths = changes.slice(0, 3).map(({ path }) => path.replaceAll("~1", "/").slice(1));
  const what = `${paths.join(", ")}${changes.length > 3 ? ` and ${changes.length - 3} more` : ""}`;
  return [
    isHalf && item.context?.facts.status.wrote["istio-proxy/preStop"] === undefined
      ? finding(
          item,
          "injection-half-done",
          "error",
          `only the first of two calls changed it: ${what}.`,
          "set reinvocationPolicy: IfNeeded, and restart its workload",
        )
      : finding(
          item,
          "injection-outdated",
          "warning",
          `today's policy would make it differently: ${what}.`,
          "restart its workload",
        ),
  ];
}

function finding(item: Workload, rule: string, severity: Severity, message: string, fix: string): PlacedFinding {
  return {
    file: item.file,
    line: 1,
    object: titleOfItem(item),
    rule,
    severity,
    message,
    fix,
    doc: "docs/check.md#a-running-cluster",
    repair: undefined,
  };
}

/** A pod that Gracegate changes in its first call, to be tried with a dry run. */
export const TRIAL: JsonObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    generateName: "gracegate-trial-",
    labels: { [POD_LABEL]: "true" },
    annotations: { "inject.istio.io/templates": "gateway" },
  },
  spec: { containers: [{ name: "istio-proxy", image: "auto" }] },
};

/** What is wrong with a trial that came back; undefined where Gracegate changed it. */
export function trialProblem(made: JsonObject): string | undefined {
  const annotations = objectAt(objectAt(made, "metadata"), "annotations");
  return valueAt(annotations, STATUS) === undefined
    ? "a pod that was tried came back without Gracegate's status: the webhook was not called, or did not answer."
    : undefined;
}
