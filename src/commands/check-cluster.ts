/**
 * `gracegate check --cluster`: the rules over what runs, the state of its injection, and a pod on trial.
 */

import { type Inventory, inventoryOf } from "../check/inventory.ts";
import { injectionFindings, optedInNamespaces, TRIAL, trialProblem } from "../check/live.ts";
import { checkData, checkText } from "../check/present.ts";
import { rules } from "../check/rules.ts";
import { type PlacedFinding, runRules } from "../check/run.ts";
import { type Manifest, withoutTree } from "../manifests/document.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../pod/json.ts";
import { type ClusterChoice, readCluster, tryPod } from "../sources/kubectl.ts";
import { conclude } from "./check-words.ts";
import { clusterOptions } from "./cluster-options.ts";
import { type ExitCode, exitCode } from "./kit/command.ts";
import { progressWhile } from "./kit/progress.ts";
import { type Refusal, refused } from "./kit/read.ts";
import { paint, print, printJson, say } from "./kit/say.ts";
import type { CheckValues } from "./manifests.ts";

/** Checks a running cluster. */
export async function checkCluster(values: CheckValues): Promise<ExitCode | Refusal> {
  if (values.filename.length > 0) return refused("-f and a cluster exclude each other.");
  if (values.fix) return refused("--fix mends manifests; a cluster is only read.");
  const asJson = values.output === "json";
  // A cluster is read as a whole unless one namespace is wanted.
  const choice: ClusterChoice = { context: values.context, namespace: values.namespace };
  const name = choice.context ?? "the current context";
  const read = await progressWhile(`reading ${name}`, readCluster(choice));
  if (!read.ok) {
    say(`${name} cannot be read: ${read.reason.replace(/[.]$/, "").replace(/[^?]$/, "$&.")}`);
    return exitCode.failed;
  }
  const namespaces = read.value.filter(({ kind }) => kind === "Namespace");
  if (
    choice.namespace !== undefined &&
    !namespaces.some(({ metadata }) => textAt(metadata, "name") === choice.namespace)
  ) {
    say(`${name} has no namespace ${choice.namespace}, so nothing was checked.`);
    return exitCode.failed;
  }
  const pipeline = await clusterOptions(read.value, choice, values);
  if (!pipeline.ok) return pipeline;
  const inventory = inventoryOf(
    read.value.map((object) => ({ file: name, manifest: manifestOf(object) })),
    pipeline.value,
  );
  const found = [
    ...runRules(withoutOwned(inventory), rules),
    ...injectionFindings(inventory),
    ...(await trial(inventory, choice, name)),
  ];
  // Objects of a cluster have no lines.
  const results = found.map((result) => ({ ...result, repair: undefined }));
  if (asJson) printJson(checkData(results));
  else if (results.length > 0) print(checkText(results, paint).replaceAll(`${name}:1  `, `${name}  `));
  return conclude(inventory, results, { least: values.failOn, asJson, more: "" });
}

function manifestOf(object: JsonObject): Manifest {
  const text = JSON.stringify(object);
  return withoutTree({ ok: true, chunk: { text, line: 1 }, value: object });
}

/** Rules speak of the workload; the pods that it made would say everything again. */
function withoutOwned(inventory: Inventory): Inventory {
  return {
    ...inventory,
    workloads: inventory.workloads.filter(
      ({ kind, object }) => kind !== "Pod" || objectsAt(objectAt(object, "metadata"), "ownerReferences").length === 0,
    ),
  };
}

/** Tries a pod in the first namespace that is opted in. */
async function trial(inventory: Inventory, choice: ClusterChoice, name: string): Promise<readonly PlacedFinding[]> {
  const [namespace] = [...optedInNamespaces(inventory)].sort();
  if (namespace === undefined) {
    say("No namespace has the label gracegate.dev/injection: enabled, so no pod was tried.");
    return [];
  }
  const made = await tryPod(choice, namespace, TRIAL);
  const problem = made.ok ? trialProblem(made.value) : `a pod that was tried was refused: ${made.reason}`;
  if (problem === undefined) return [];
  return [
    {
      file: name,
      line: 1,
      object: `Namespace ${namespace}`,
      rule: "webhook-silent",
      severity: "error",
      message: problem,
      fix: "look at the MutatingWebhookConfiguration, the webhook's pods and their log",
      doc: "docs/check.md#a-running-cluster",
      repair: undefined,
    },
  ];
}
