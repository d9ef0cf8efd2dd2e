/**
 * How long a kubelet lets a pod run on when its node shuts down.
 *
 * shutdownGracePeriod is the time for all pods, of which shutdownGracePeriodCriticalPods is kept for the critical ones;
 * shutdownGracePeriodByPodPriority says it by priority instead. Without either the kubelet waits for nobody, which is
 * Kubernetes' default and no finding. Source: the kubelet's nodeshutdown package.
 */
import { type JsonObject, objectAt, objectsAt, textAt } from "../pod/json.ts";
import { parseDuration, type Seconds } from "../units/duration.ts";
import { type Inventory, type Item, itemsOf } from "./inventory.ts";

/** A kubelet's word. */
export interface ShutdownGrace {
  readonly kubelet: Item;
  readonly seconds: Seconds;
}

/** Priority from which a pod is critical, and the classes that Kubernetes has itself. */
const CRITICAL = 2_000_000_000;
const BUILT_IN: Readonly<Record<string, number>> = {
  "system-cluster-critical": CRITICAL,
  "system-node-critical": CRITICAL + 1000,
};

/**
 * The most that any kubelet grants a pod; undefined where none says anything, or where the pod's priority is
 * not known. Which node a pod will be on no manifest tells, so only what holds on all of them counts.
 */
export function shutdownGraceOf(inventory: Inventory, podSpec: JsonObject): ShutdownGrace | undefined {
  const priority = priorityOf(inventory, podSpec);
  if (priority === undefined) return undefined;
  return itemsOf(inventory, "KubeletConfiguration")
    .flatMap((kubelet): ShutdownGrace[] => {
      const seconds = grantedBy(kubelet.object, priority);
      return seconds === undefined ? [] : [{ kubelet, seconds }];
    })
    .toSorted((a, b) => b.seconds - a.seconds)[0];
}

function priorityOf(inventory: Inventory, spec: JsonObject): number | undefined {
  if (typeof spec.priority === "number") return spec.priority;
  const name = textAt(spec, "priorityClassName");
  const known = itemsOf(inventory, "PriorityClass").find(({ object, name: own }) =>
    name === undefined ? object.globalDefault === true : own === name,
  );
  if (typeof known?.object.value === "number") return known.object.value;
  return name === undefined ? 0 : BUILT_IN[name];
}

function grantedBy(kubelet: JsonObject, priority: number): Seconds | undefined {
  const classes = objectsAt(kubelet, "shutdownGracePeriodByPodPriority")
    .map((one) => ({ from: Number(one.priority ?? 0), seconds: Number(one.shutdownGracePeriodSeconds ?? 0) }))
    .toSorted((a, b) => a.from - b.from);
  if (classes.length > 0) return (classes.findLast(({ from }) => from <= priority) ?? classes[0])?.seconds;
  const [all, critical] = ["shutdownGracePeriod", "shutdownGracePeriodCriticalPods"].map((key) => {
    const parsed = parseDuration(kubelet[key]);
    return parsed.ok ? parsed.seconds : 0;
  });
  if (all === undefined || all === 0) return undefined;
  return priority >= CRITICAL ? (critical ?? 0) : all - (critical ?? 0);
}

/** Where the kubelet's settings are: its node, or the document. */
export function kubeletName({ object, file, manifest }: Item): string {
  const node = textAt(objectAt(object, "metadata"), "name");
  return node === undefined ? `${file}:${manifest.chunk.line}` : `node ${node}`;
}
