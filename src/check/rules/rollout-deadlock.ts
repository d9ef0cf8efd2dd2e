import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../pod/json.ts";
import { matches } from "../../policy/selector.ts";
import { application, gateway } from "../example-manifests.ts";
import { type Inventory, replicasOf, type Workload } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const affinity = (when: string) => [
  "affinity:",
  "  podAntiAffinity:",
  `    ${when}:`,
  "      - labelSelector: { matchLabels: { app: edge } }",
  "        topologyKey: kubernetes.io/hostname",
];
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const daemon = (update: string, ...pod: readonly string[]) =>
  gateway({
    kind: "DaemonSet",
    workload: ["minReadySeconds: 7", `updateStrategy: { rollingUpdate: ${update} }`],
    pod,
  });
const SURGE = "{ maxSurge: 1, maxUnavailable: 0 }";
const rolling = (strategy: string) => ["replicas: 3", "minReadySeconds: 7", `strategy: { rollingUpdate: ${strategy} }`];

/** A rollout that waits for a place that only its own old pods could give. */
export const rolloutDeadlock: Rule = {
  id: "rollout-deadlock",
  severity: "warning",
  title:
    "maxUnavailable 0, or a share that is rounded down to 0, stops a rollout whose new pods cannot share a node with the old ones.",
  reason:
    "Required anti-affinity, a host port or the host network keeps the new pod from a node with an old one, and no old one may go before the new one is Ready. With as many replicas as nodes, and in any DaemonSet, nothing moves any more. A share such as 25 %, the default, is rounded down: of 2 or 3 replicas it is 0.",
  fix: "set maxUnavailable: 1 (maxSurge: 0), make the anti-affinity preferred or give it matchLabelKeys: [pod-template-hash], or take the ports by a Service instead of the host",
  examples: {
    bad: [
      gateway({ workload: rolling(SURGE), pod: affinity(REQUIRED) }),
      daemon(SURGE, ...affinity(REQUIRED)),
      daemon(SURGE, "hostNetwork: true"),
      gateway({ pod: affinity(REQUIRED) }),
      gateway({ workload: rolling("{ maxUnavailable: 25% }"), pod: affinity(REQUIRED) }),
      daemon(SURGE).concat("          ports: [{ containerPort: 8443, hostPort: 443 }]\n"),
    ],
    good: [
      gateway({ workload: rolling("{ maxSurge: 0, maxUnavailable: 1 }"), pod: affinity(REQUIRED) }),
      gateway({ workload: rolling(SURGE) }),
      gateway({
        workload: rolling(SURGE),
        pod: [...affinity(REQUIRED), "        matchLabelKeys: [pod-template-hash] # old and new may share a node"],
      }),
      gateway({ workload: ["replicas: 4", "minReadySeconds: 7"], pod: affinity(REQUIRED) }),
      gateway({ workload: rolling("{ maxSurge: 0, maxUnavailable: 25% }"), pod: affinity(REQUIRED) }),
      gateway({ workload: ["replicas: 1"], pod: affinity(REQUIRED) }),
      daemon(SURGE),
      application({
        kind: "DaemonSet",
        workload: [`updateStrategy: { rollingUpdate: ${SURGE} }`],
        pod: ["hostNetwork: true"],
      }),
      daemon("{ maxSurge: 0, maxUnavailable: 1 }", "hostNetwork: true"),
    ],
  },
  *check(inventory): Iterable<Finding> {
    for (const item of inventory.workloads) {
      const at = UPDATES[item.kind];
      if (at === undefined) continue;
      const zero = zeroOf(inventory, item, at);
      if (zero === undefined) continue;
      const reason = repelsItself(item) ? "each pod needs a node without another of its kind" : portReason(item);
      if (reason === undefined) continue;
      yield { item, at: [...at, "maxUnavailable"], message: `maxUnavailable ${zero}, and ${reason}.` };
    }
  },
};

/** How maxUnavailable comes to be 0; undefined where it is more. Where both are 0 the API server refuses the object. */
function zeroOf(inventory: Inventory, item: Workload, at: readonly string[]): string | undefined {
  const update = at.reduce<JsonObject>((value, key) => objectAt(value, key), item.object);
  if (isZero(update.maxUnavailable)) return "is 0";
  if (item.kind === "DaemonSet" || objectAt(objectAt(item.object, "spec"), "strategy").type === "Recreate")
    return undefined;
  const share = /^([0-9]+)%$/.exec(String(update.maxUnavailable ?? DEFAULT_SHARE));
  const replicas = replicasOf(inventory, item)?.least ?? 1;
  // One replica finds another node in any cluster but one of a single node.
  if (share === null || replicas < 2 || Math.floor((Number(share[1]) / 100) * replicas) > 0) return undefined;
  // Without a surge either, the controller takes one away after all.
  if (isZero(update.maxSurge)) return undefined;
  const written = update.maxUnavailable === undefined ? `${share[0]}, the default,` : share[0];
  return `${written} of ${replicas} replicas is rounded down to 0`;
}

/** What Deployments and Rollouts have for maxUnavailable and maxSurge unless they say otherwise. */
const DEFAULT_SHARE = "25%";

/** Where each kind says how it rolls; other kinds stop a pod before they make the next. */
const UPDATES: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["spec", "strategy", "rollingUpdate"],
  Rollout: ["spec", "strategy", "canary"],
  DaemonSet: ["spec", "updateStrategy", "rollingUpdate"],
};

/** Why two pods of a DaemonSet, whose new pod has one node only to go to, cannot run side by side. */
function portReason({ kind, pod, role }: Workload): string | undefined {
  if (kind !== "DaemonSet") return undefined;
  const spec = objectAt(pod, "spec");
  const ports = objectsAt(spec, "containers").flatMap((container) => objectsAt(container, "ports"));
  // On the host network every port that a container listens on is the node's; an agent that listens on none may surge.
  if (spec.hostNetwork === true && (role === "gateway" || ports.length > 0)) {
    return "the new pod finds the ports of the host network taken by the old one";
  }
  const taken = ports.find(({ hostPort }) => typeof hostPort === "number" && hostPort > 0);
  return taken && `the new pod finds host port ${String(taken.hostPort)} taken by the old one`;
}

function isZero(value: unknown): boolean {
  return value === 0 || value === "0" || value === "0%";
}

/** The labels by which controllers tell revisions apart. */
const REVISIONS: readonly string[] = ["pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash"];

function repelsItself({ pod, labels }: Workload): boolean {
  const anti = objectAt(objectAt(objectAt(pod, "spec"), "affinity"), "podAntiAffinity");
  return objectsAt(anti, REQUIRED).some(
    (term) =>
      textAt(term, "topologyKey") === "kubernetes.io/hostname" &&
      // With that the term is about pods of one revision only: new ones may stand beside old ones.
      !REVISIONS.some((label) => textsAt(term, "matchLabelKeys").includes(label)) &&
      matches(objectAt(term, "labelSelector") as Parameters<typeof matches>[0], labels),
  );
}
