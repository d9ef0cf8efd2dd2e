import { type JsonObject, objectAt, objectsAt, textAt } from "../../pod/json.ts";
import { matches } from "../../policy/selector.ts";
import type { Finding, Rule } from "../rule.ts";
import type { Workload } from "../world.ts";
import { gateway } from "./example-manifests.ts";

const affinity = (when: string) => [
  "affinity:",
  "  podAntiAffinity:",
  `    ${when}:`,
  "      - labelSelector: { matchLabels: { app: edge } }",
  "        topologyKey: kubernetes.io/hostname",
];
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const rolling = (strategy: string) => ["replicas: 3", "minReadySeconds: 7", `strategy: { rollingUpdate: ${strategy} }`];

/** A rollout that waits for a place that only its own old pods could give. */
export const rolloutDeadlock: Rule = {
  id: "rollout-deadlock",
  severity: "warning",
  title: "maxUnavailable 0 with required anti-affinity stops a rollout where every node has a pod already.",
  reason:
    "The new pod may not share a node with an old one, and no old one may go before the new one is Ready. With as many replicas as nodes nothing moves any more.",
  fix: "set maxUnavailable: 1 (maxSurge: 0), or make the anti-affinity preferred",
  examples: {
    bad: [gateway({ workload: rolling("{ maxSurge: 1, maxUnavailable: 0 }"), pod: affinity(REQUIRED) })],
    good: [
      gateway({ workload: rolling("{ maxSurge: 0, maxUnavailable: 1 }"), pod: affinity(REQUIRED) }),
      gateway({ workload: rolling("{ maxSurge: 1, maxUnavailable: 0 }") }),
    ],
  },
  *check({ workloads }): Iterable<Finding> {
    for (const item of workloads) {
      const at = item.kind === "Deployment" ? ["spec", "strategy", "rollingUpdate"] : ["spec", "strategy", "canary"];
      const update = at.reduce<JsonObject>((value, key) => objectAt(value, key), item.object);
      if (!isZero(update.maxUnavailable) || !repelsItself(item)) continue;
      yield {
        item,
        at: [...at, "maxUnavailable"],
        message: "maxUnavailable is 0, and each pod needs a node without another of its kind.",
      };
    }
  },
};

function isZero(value: unknown): boolean {
  return value === 0 || value === "0" || value === "0%";
}

function repelsItself({ pod, labels }: Workload): boolean {
  const anti = objectAt(objectAt(objectAt(pod, "spec"), "affinity"), "podAntiAffinity");
  return objectsAt(anti, REQUIRED).some(
    (term) =>
      textAt(term, "topologyKey") === "kubernetes.io/hostname" &&
      matches(objectAt(term, "labelSelector") as Parameters<typeof matches>[0], labels),
  );
}
