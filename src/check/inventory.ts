/**
 * All objects that a run looks at, and how they belong together: which Service, budget or policy is about which pods.
 */
import type { Manifest } from "../manifests/document.ts";
import { type InjectedWorkload, type InjectOptions, outcomesOf } from "../manifests/inject.ts";
import { lineAt } from "../manifests/line.ts";
import { objectsOf, type Path } from "../manifests/workload.ts";
import type { Context } from "../mutate/context.ts";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../pod/json.ts";
import { matches } from "../policy/selector.ts";

/** One object, and where it stands. */
export interface Item {
  readonly file: string;
  readonly manifest: Manifest;
  /** Where the object is in its document. */
  readonly at: Path;
  readonly object: JsonObject;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/** An object that makes pods, after the pipeline. */
export interface Workload extends Item, Pick<InjectedWorkload, "outcome"> {
  /** The pod that it makes. */
  readonly pod: JsonObject;
  /** Where metadata and spec of the pod are in the object. */
  readonly podAt: Path;
  readonly labels: JsonObject;
  /** What was decided; undefined for a pod that is left alone. */
  readonly context: Context | undefined;
  readonly role: "gateway" | "sidecar" | "none";
}

/** Everything. */
export interface Inventory {
  readonly items: readonly Item[];
  readonly workloads: readonly Workload[];
  readonly options: InjectOptions;
}

/** A document and the file that it is from. */
export interface Source {
  readonly file: string;
  readonly manifest: Manifest;
}

/** Looks at documents. */
export function inventoryOf(sources: readonly Source[], options: InjectOptions): Inventory {
  const items: Item[] = [];
  const workloads: Workload[] = [];
  for (const { file, manifest } of sources) {
    const found = objectsOf(manifest.value).map(({ object, at }): Item => {
      const metadata = objectAt(object, "metadata");
      return {
        file,
        manifest,
        at,
        object,
        kind: textAt(object, "kind") ?? "",
        name: textAt(metadata, "name") ?? textAt(metadata, "generateName") ?? "",
        namespace: textAt(metadata, "namespace") ?? options.namespace,
      };
    });
    items.push(...found);
    const byPlace = new Map(found.map((item) => [item.at.join("/"), item]));
    for (const { workload, outcome } of outcomesOf(manifest, options)) {
      const item = byPlace.get(workload.at.join("/"));
      if (item === undefined) continue;
      workloads.push({
        ...item,
        outcome,
        pod: workload.pod,
        podAt: workload.podAt.slice(workload.at.length),
        labels: objectAt(objectAt(workload.pod, "metadata"), "labels"),
        context: outcome?.plan?.context,
        role: outcome?.facts.role ?? "none",
      });
    }
  }
  return { items, workloads, options };
}

/** The gateways among the workloads. */
export function gatewaysOf(inventory: Inventory): readonly Workload[] {
  return inventory.workloads.filter(({ role }) => role === "gateway");
}

/** The gateways that get hc: those whose policy does not switch it off. */
export function gatewaysWithHc(inventory: Inventory): readonly Workload[] {
  return gatewaysOf(inventory).filter(
    ({ context }) => context?.role.kind !== "gateway" || context.role.settings.hc.enabled,
  );
}

/** The resources that hc gets in a gateway. */
export function hcResourcesOf({ context }: Workload): JsonObject | undefined {
  const role = context?.role;
  return role?.kind === "gateway" ? ((role.settings.hc.resources ?? {}) as JsonObject) : undefined;
}

/**
 * Whether hc is in a workload's pods already: in its template, or in the pods that run, where the webhook put it.
 */
export function hasHc(inventory: Inventory, workload: Workload): boolean {
  const contains = (pod: JsonObject) =>
    objectsAt(objectAt(pod, "spec"), "containers").some(({ name }) => name === "hc");
  if (contains(workload.pod)) return true;
  const { selector } = objectAt(workload.object, "spec");
  if (!isObject(selector)) return false;
  return itemsOf(inventory, "Pod").some(
    ({ object, namespace }) =>
      namespace === workload.namespace &&
      contains(object) &&
      matches(selector as Parameters<typeof matches>[0], objectAt(objectAt(object, "metadata"), "labels")),
  );
}

/** Objects of a kind. */
export function itemsOf(inventory: Inventory, kind: string): readonly Item[] {
  return inventory.items.filter((item) => item.kind === kind);
}

/** The Services whose selector means a workload's pods. */
export function servicesOf(inventory: Inventory, workload: Workload): readonly Item[] {
  return itemsOf(inventory, "Service").filter((service) => {
    const selector = objectAt(objectAt(service.object, "spec"), "selector");
    return Object.keys(selector).length > 0 && selects(service, { matchLabels: selector }, workload);
  });
}

/** Whether a label selector of an object means a workload's pods. An empty selector means all of the namespace. */
export function selects(item: Item, selector: JsonObject, workload: Workload): boolean {
  return item.namespace === workload.namespace && matches(selector as Parameters<typeof matches>[0], workload.labels);
}

/** How many pods a workload has at least and at most; undefined for a kind that counts nodes or runs to its end. */
export function replicasOf(
  inventory: Inventory,
  workload: Workload,
): { readonly least: number; readonly most: number } | undefined {
  if (!["Deployment", "StatefulSet", "ReplicaSet", "Rollout"].includes(workload.kind)) return undefined;
  const scaler = itemsOf(inventory, "HorizontalPodAutoscaler").find(({ object, namespace }) => {
    const target = objectAt(objectAt(object, "spec"), "scaleTargetRef");
    return namespace === workload.namespace && target.kind === workload.kind && target.name === workload.name;
  });
  const number = (value: unknown) => (typeof value === "number" ? value : 1);
  const replicas = number(objectAt(workload.object, "spec").replicas);
  if (scaler === undefined) return { least: replicas, most: replicas };
  const { minReplicas, maxReplicas } = objectAt(scaler.object, "spec");
  return { least: number(minReplicas), most: number(maxReplicas) };
}

/** Kinds that rules are about and that belong to no namespace. */
const CLUSTER_SCOPED: readonly string[] = [
  "Namespace",
  "Node",
  "KubeletConfiguration",
  "PriorityClass",
  "MutatingWebhookConfiguration",
];

/** `Deployment shop/web`, `Node n1`. */
export function titleOfItem({ kind, namespace, name }: Item): string {
  return `${kind || "object"} ${CLUSTER_SCOPED.includes(kind) ? "" : `${namespace}/`}${name}`;
}

/** The line of the file on which a value of an object stands. */
export function lineOfItem({ manifest, at }: Item, path: Path): number {
  return lineAt(manifest, [...at, ...path]);
}
