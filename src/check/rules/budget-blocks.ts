import { objectAt } from "../../pod/json.ts";
import { documents, gateway } from "../example-manifests.ts";
import { type Inventory, type Item, itemsOf, replicasOf, selects } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const budget = (line: string) =>
  [
    "apiVersion: policy/v1",
    "kind: PodDisruptionBudget",
    "metadata: { name: edge, namespace: edge }",
    "spec:",
    "  selector: { matchLabels: { app: edge } }",
    `  ${line}`,
    "",
  ].join("\n");

/** A PodDisruptionBudget that lets no pod go. */
export const budgetBlocks: Rule = {
  id: "disruption-budget-blocks",
  severity: "warning",
  title: "A PodDisruptionBudget lets no pod go.",
  reason:
    "A node cannot be drained, so upgrades wait, and in the end somebody deletes the pod by force: without any grace at all.",
  fix: "let one pod go: maxUnavailable: 1, or minAvailable below the number of replicas",
  examples: {
    bad: [
      documents(gateway(), budget("maxUnavailable: 0")),
      documents(gateway(), budget("minAvailable: 2")),
      documents(gateway(), budget("minAvailable: 100%")),
    ],
    good: [
      documents(gateway(), budget("maxUnavailable: 1")),
      documents(gateway(), budget("minAvailable: 1")),
      documents(gateway().replace("replicas: 2", "replicas: 0"), budget("minAvailable: 1")),
    ],
  },
  *check(inventory): Iterable<Finding> {
    for (const item of itemsOf(inventory, "PodDisruptionBudget")) {
      const spec = objectAt(item.object, "spec");
      const { maxUnavailable, minAvailable } = spec;
      const replicas = leastReplicas(inventory, item);
      const never = maxUnavailable === 0 || maxUnavailable === "0%";
      const all =
        minAvailable === "100%" ||
        (typeof minAvailable === "number" && replicas !== undefined && minAvailable >= replicas);
      if (replicas === undefined || replicas === 0 || (!never && !all)) continue;
      yield {
        item,
        at: ["spec", never ? "maxUnavailable" : "minAvailable"],
        message: never
          ? `maxUnavailable is ${String(maxUnavailable)}.`
          : `minAvailable is ${String(minAvailable)}, and there are ${replicas} replicas.`,
      };
    }
  },
};

/** The least replicas of the workload that a budget is about; undefined where none is seen here. */
function leastReplicas(inventory: Inventory, item: Item): number | undefined {
  const selector = objectAt(objectAt(item.object, "spec"), "selector");
  const workload = inventory.workloads.find((one) => one.role !== "none" && selects(item, selector, one));
  return workload && replicasOf(inventory, workload)?.least;
}
