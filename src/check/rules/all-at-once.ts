import { objectAt, valueAt } from "../../pod/json.ts";
import { gateway } from "../example-manifests.ts";
import { gatewaysOf, type Workload } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const strategy = (...lines: readonly string[]) => ["minReadySeconds: 7", ...lines];

/** A rollout that takes all gateways away at one time. */
export const allAtOnce: Rule = {
  id: "all-at-once",
  severity: "warning",
  title: "A rollout stops all gateways at the same time.",
  reason:
    "Where every gateway drains at once there is nobody left: HAProxy answers 503 to everybody while all its servers are in drain, and one gateway without surge leaves a gap in any case.",
  fix: "stop one at a time: maxUnavailable 1 with at least two replicas, or one replica with maxSurge 1 and maxUnavailable 0",
  examples: {
    bad: [
      gateway({ workload: strategy("replicas: 3", "strategy: { type: Recreate }") }),
      gateway({ workload: strategy("replicas: 3", "strategy: { rollingUpdate: { maxUnavailable: 100% } }") }),
      gateway({
        kind: "DaemonSet",
        workload: strategy("updateStrategy: { type: RollingUpdate, rollingUpdate: { maxUnavailable: 100% } }"),
      }),
      gateway({ workload: strategy("replicas: 1", "strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }") }),
    ],
    good: [
      gateway({ kind: "DaemonSet", workload: strategy("updateStrategy: { rollingUpdate: { maxUnavailable: 50% } }") }),
      gateway({ kind: "DaemonSet", workload: strategy() }),
      gateway({ workload: strategy("replicas: 3", "strategy: { rollingUpdate: { maxUnavailable: 1 } }") }),
      gateway({ workload: strategy("replicas: 1", "strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }") }),
    ],
  },
  *check(inventory): Iterable<Finding> {
    for (const item of gatewaysOf(inventory)) {
      const [kind, at] = [item.kind, item.kind === "DaemonSet" ? "updateStrategy" : "strategy"];
      const reason = kind === "Deployment" ? reasonOf(item) : kind === "DaemonSet" ? daemonReason(item) : undefined;
      if (reason !== undefined) yield { item, at: ["spec", at], message: reason };
    }
  },
};

/** How many nodes a DaemonSet has nobody knows here, so only a share can mean all of them. */
function daemonReason({ object }: Workload): string | undefined {
  const { type, rollingUpdate } = objectAt(objectAt(object, "spec"), "updateStrategy");
  const share = valueAt(rollingUpdate, "maxUnavailable");
  if (type === "OnDelete" || share !== "100%") return undefined;
  return "maxUnavailable 100% lets the gateways of all nodes stop at once.";
}

function reasonOf({ object }: Workload): string | undefined {
  const spec = objectAt(object, "spec");
  const strategy = objectAt(spec, "strategy");
  const replicas = typeof spec.replicas === "number" ? spec.replicas : 1;
  if (replicas === 0) return undefined;
  if (strategy.type === "Recreate") {
    const all = replicas === 1 ? "the only replica" : `all ${replicas} replicas`;
    return `Recreate stops ${all} before a new one starts.`;
  }
  const { maxUnavailable, maxSurge } = objectAt(strategy, "rollingUpdate");
  const most = maxUnavailable === "100%" ? replicas : typeof maxUnavailable === "number" ? maxUnavailable : 0;
  if (most < replicas || (replicas === 1 && maxSurge !== 0)) return undefined;
  return replicas === 1
    ? "the only replica stops before its replacement starts (maxSurge 0)."
    : `maxUnavailable ${String(maxUnavailable)} lets all ${replicas} replicas stop at once.`;
}
