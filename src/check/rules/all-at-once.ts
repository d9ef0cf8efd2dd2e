import { objectAt } from "../../pod/json.ts";
import type { Finding, Rule } from "../rule.ts";
import { gatewaysOf, type Workload } from "../world.ts";
import { gateway } from "./example-manifests.ts";

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
      gateway({ workload: strategy("replicas: 1", "strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }") }),
    ],
    good: [
      gateway({ workload: strategy("replicas: 3", "strategy: { rollingUpdate: { maxUnavailable: 1 } }") }),
      gateway({ workload: strategy("replicas: 1", "strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }") }),
    ],
  },
  *check(world): Iterable<Finding> {
    for (const item of gatewaysOf(world)) {
      const reason = item.kind === "Deployment" ? reasonOf(item) : undefined;
      if (reason !== undefined) yield { item, at: ["spec", "strategy"], message: reason };
    }
  },
};

function reasonOf({ object }: Workload): string | undefined {
  const spec = objectAt(object, "spec");
  const strategy = objectAt(spec, "strategy");
  const replicas = typeof spec.replicas === "number" ? spec.replicas : 1;
  if (replicas === 0) return undefined;
  if (strategy.type === "Recreate") return `Recreate stops all ${replicas} replicas before a new one starts.`;
  const { maxUnavailable, maxSurge } = objectAt(strategy, "rollingUpdate");
  const most = maxUnavailable === "100%" ? replicas : typeof maxUnavailable === "number" ? maxUnavailable : 0;
  if (most < replicas || (replicas === 1 && maxSurge !== 0)) return undefined;
  return replicas === 1
    ? "the only replica stops before its replacement starts (maxSurge 0)."
    : `maxUnavailable ${String(maxUnavailable)} lets all ${replicas} replicas stop at once.`;
}
