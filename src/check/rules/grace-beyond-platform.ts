import { type JsonObject, objectAt, objectsAt, textAt } from "../../pod/json.ts";
import type { Seconds } from "../../units/duration.ts";
import type { Finding, Rule } from "../rule.ts";
import { application } from "./example-manifests.ts";

/** Labels of nodes that the cloud takes back, and the seconds between its word and the end. */
const SPOT: readonly (readonly [key: string, value: string, seconds: Seconds])[] = [
  ["cloud.google.com/gke-spot", "true", 25],
  ["cloud.google.com/gke-preemptible", "true", 25],
  ["kubernetes.azure.com/scalesetpriority", "spot", 30],
  ["eks.amazonaws.com/capacityType", "SPOT", 120],
  ["karpenter.sh/capacity-type", "spot", 120],
];

/** The cluster autoscaler's --max-graceful-termination-sec unless it is set. */
const AUTOSCALER: Seconds = 600;

const GRACE = "terminationGracePeriodSeconds: 180";

/** More grace than whoever stops the pod grants. */
export const graceBeyondPlatform: Rule = {
  id: "grace-beyond-platform",
  severity: "warning",
  title: "The grace period is longer than the node or the autoscaler grants.",
  reason:
    "A spot node is gone 25 to 120 s after its notice, the cluster autoscaler waits 600 s, and a kubelet's shutdownGracePeriod is often shorter still: the pod is killed in the middle of its drain.",
  fix: "keep such pods off spot nodes, or shorten the drain; raise --max-graceful-termination-sec or shutdownGracePeriod",
  examples: {
    bad: [
      application({ pod: ["nodeSelector: { karpenter.sh/capacity-type: spot }", GRACE] }),
      application({ pod: ["terminationGracePeriodSeconds: 900"] }),
    ],
    good: [application({ pod: [GRACE] }), application({ pod: ["nodeSelector: { karpenter.sh/capacity-type: spot }"] })],
  },
  *check({ workloads }): Iterable<Finding> {
    for (const item of workloads) {
      const { context } = item;
      if (context === undefined) continue;
      const grace = context.budget.gracePeriod;
      const spec = objectAt(item.pod, "spec");
      const spot = SPOT.find(([key, value, seconds]) => grace > seconds && isOn(spec, key, value));
      const at = [...item.podAt, "spec", "terminationGracePeriodSeconds"];
      if (spot !== undefined) {
        yield {
          item,
          at,
          message: `the pod may run for ${grace}s after its deletion, but ${spot[0]} ${spot[1]} grants ${spot[2]}s.`,
        };
      } else if (grace > AUTOSCALER) {
        yield {
          item,
          at,
          message: `the pod may run for ${grace}s after its deletion; the cluster autoscaler grants ${AUTOSCALER}s.`,
        };
      }
    }
  },
};

/** Whether a pod goes to nodes with a label: by its selector or by its node affinity. A toleration alone only allows it. */
function isOn(spec: JsonObject, key: string, value: string): boolean {
  if (textAt(objectAt(spec, "nodeSelector"), key) === value) return true;
  const affinity = objectAt(objectAt(spec, "affinity"), "nodeAffinity");
  const terms = objectsAt(objectAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution"), "nodeSelectorTerms");
  return terms.some((term) =>
    objectsAt(term, "matchExpressions").some(
      (one) =>
        one.key === key &&
        one.operator === "In" &&
        Array.isArray(one.values) &&
        one.values.every((each) => each === value),
    ),
  );
}
