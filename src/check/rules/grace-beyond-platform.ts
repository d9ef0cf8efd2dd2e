import { type JsonObject, objectAt, objectsAt, textAt } from "../../pod/json.ts";
import type { Seconds } from "../../units/duration.ts";
import { inSeconds } from "../../units/milliseconds.ts";
import { application, documents } from "../example-manifests.ts";
import { kubeletName, shutdownGraceOf } from "../node-shutdown.ts";
import type { Finding, Rule } from "../rule.ts";

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

/** Kubernetes' default, which is nobody's wish: a kubelet that grants less is no news about a pod. */
const DEFAULT_GRACE: Seconds = 30;

const kubelet = (...lines: readonly string[]) =>
  ["apiVersion: kubelet.config.k8s.io/v1beta1", "kind: KubeletConfiguration", ...lines, ""].join("\n");

const BY_PRIORITY = kubelet(
  "shutdownGracePeriodByPodPriority:",
  "  - { priority: 2000000000, shutdownGracePeriodSeconds: 10 }",
  "  - { priority: 0, shutdownGracePeriodSeconds: 60 }",
);

const GRACE = "terminationGracePeriodSeconds: 180";

/** More grace than whoever stops the pod grants. */
export const graceBeyondPlatform: Rule = {
  id: "grace-beyond-platform",
  severity: "warning",
  title: "The grace period is longer than the node or the autoscaler grants.",
  reason:
    "A spot node is gone 25 to 120 s after its notice, the cluster autoscaler waits 600 s, and a kubelet whose node shuts down its shutdownGracePeriod: then the pod is killed in the middle of its drain. (Kubelets are seen where a KubeletConfiguration is among the manifests, or in a cluster whose nodes/proxy may be read.)",
  fix: "keep such pods off spot nodes, or shorten the drain; raise --max-graceful-termination-sec or shutdownGracePeriod",
  examples: {
    bad: [
      application({ pod: ["nodeSelector: { karpenter.sh/capacity-type: spot }", GRACE] }),
      application({ pod: ["terminationGracePeriodSeconds: 900"] }),
      documents(
        application({ pod: [GRACE] }),
        kubelet("shutdownGracePeriod: 3m", "shutdownGracePeriodCriticalPods: 30s"),
      ),
      documents(application({ pod: [GRACE] }), BY_PRIORITY),
    ],
    good: [
      application({ pod: [GRACE] }),
      application({ pod: ["nodeSelector: { karpenter.sh/capacity-type: spot }"] }),
      documents(application({ pod: [GRACE] }), kubelet("shutdownGracePeriod: 0s")),
      documents(application({ pod: [GRACE] }), BY_PRIORITY.replace(": 60", ": 180")),
      documents(application(), kubelet("shutdownGracePeriod: 20s", "shutdownGracePeriodCriticalPods: 10s")),
      documents(
        application({ pod: [GRACE] }),
        kubelet("shutdownGracePeriod: 60s"),
        kubelet("shutdownGracePeriod: 200s"),
      ),
    ],
  },
  *check(world): Iterable<Finding> {
    for (const item of world.workloads) {
      const { context } = item;
      if (context === undefined) continue;
      const grace = inSeconds(context.budget.gracePeriod.value);
      const spec = objectAt(item.pod, "spec");
      const spot = SPOT.find(([key, value, seconds]) => grace > seconds && isOn(spec, key, value));
      const at = [...item.podAt, "spec", "terminationGracePeriodSeconds"];
      const shutdown = grace > DEFAULT_GRACE ? shutdownGraceOf(world, spec) : undefined;
      if (spot !== undefined) {
        yield {
          item,
          at,
          message: `the pod may run for ${grace}s after its deletion, but ${spot[0]} ${spot[1]} grants ${spot[2]}s.`,
        };
      } else if (shutdown !== undefined && grace > shutdown.seconds) {
        yield {
          item,
          at,
          message: `the pod may run for ${grace}s after its deletion, but when its node shuts down the kubelet grants ${shutdown.seconds}s (${kubeletName(shutdown.kubelet)}).`,
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
