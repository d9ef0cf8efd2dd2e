/**
 * Where the pods are in Kubernetes' objects: a workload's pod template as a pod, and how a changed pod goes back.
 */
import {
  isObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  textAt,
  valueAt,
  withElement,
  withKey,
} from "../pod/json.ts";

/** Steps from a document's root to a value in it. */
export type Path = readonly (string | number)[];

/** An object that makes pods. */
export interface Workload {
  readonly kind: string;
  readonly name: string;
  /** The object's own namespace. */
  readonly namespace: string | undefined;
  readonly object: JsonObject;
  /** Where the object is in its document: below `items` for one in a List. */
  readonly at: Path;
  /** Where metadata and spec of the pod are. */
  readonly podAt: Path;
  /** The pod that it makes. */
  readonly pod: JsonObject;
}

const TEMPLATE: Path = ["spec", "template"];

/** API groups (without versions) in which each kind makes pods, and where it holds the template. */
const kinds: Readonly<Record<string, { readonly groups: readonly string[]; readonly template: Path }>> = {
  Pod: { groups: [""], template: [] },
  ReplicationController: { groups: [""], template: TEMPLATE },
  Deployment: { groups: ["apps", "extensions"], template: TEMPLATE },
  StatefulSet: { groups: ["apps"], template: TEMPLATE },
  DaemonSet: { groups: ["apps", "extensions"], template: TEMPLATE },
  ReplicaSet: { groups: ["apps", "extensions"], template: TEMPLATE },
  Job: { groups: ["batch"], template: TEMPLATE },
  CronJob: { groups: ["batch"], template: ["spec", "jobTemplate", "spec", "template"] },
  Rollout: { groups: ["argoproj.io"], template: TEMPLATE },
};

/** One object of a document, and where it is. */
export interface Placed {
  readonly object: JsonObject;
  readonly at: Path;
}

/**
 * The objects of a document: itself, or the items of a List, to any depth that a person would write. The items of a typed
 * list (`DeploymentList`, as the API server answers) need not say what they are.
 */
export function objectsOf(value: JsonValue, at: Path = []): readonly Placed[] {
  if (!isObject(value)) return [];
  const items = valueAt(value, "items");
  const kind = textAt(value, "kind") ?? "";
  if (!kind.endsWith("List") || !Array.isArray(items)) return [{ object: value, at }];
  if (at.length > 6) return [];
  const { apiVersion = "v1" } = value;
  const typed = kind === "List" ? {} : { apiVersion, kind: kind.slice(0, -"List".length) };
  return (items as readonly JsonValue[]).flatMap((item, index) =>
    objectsOf(isObject(item) && valueAt(item, "kind") === undefined ? { ...typed, ...item } : item, [
      ...at,
      "items",
      index,
    ]),
  );
}

/** The workloads of a document. */
export function workloadsOf(value: JsonValue): readonly Workload[] {
  return objectsOf(value).flatMap((placed) => workloadOf(placed) ?? []);
}

/** An object as a workload; undefined where it makes no pods, or its template stands elsewhere (workloadRef). */
export function workloadOf({ object, at }: Placed): Workload | undefined {
  const kind = textAt(object, "kind") ?? "";
  const version = textAt(object, "apiVersion") ?? "";
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  const group = version.includes("/") ? version.slice(0, version.indexOf("/")) : "";
  if (known === undefined || !known.groups.includes(group)) return undefined;
  const template = valueIn(object, known.template);
  if (!isObject(template) || !isObject(valueAt(template, "spec"))) return undefined;
  const metadata = objectAt(object, "metadata");
  return {
    kind,
    name: textAt(metadata, "name") ?? textAt(metadata, "generateName") ?? "",
    namespace: textAt(metadata, "namespace"),
    object,
    at,
    podAt: [...at, ...known.template],
    pod: { apiVersion: "v1", kind: "Pod", metadata: objectAt(template, "metadata"), spec: objectAt(template, "spec") },
  };
}

/** Whether a replacement starts on the node of the pod that it replaces, before that one stops: a balancer sees nothing of it. */
export function surgesOnItsNode({ kind, object }: Pick<Workload, "kind" | "object">): boolean {
  const { maxSurge } = objectAt(objectAt(objectAt(object, "spec"), "updateStrategy"), "rollingUpdate");
  return kind === "DaemonSet" && maxSurge !== undefined && !["0", "0%"].includes(String(maxSurge));
}

/** A workload and the pod that it shall make. */
interface PodChange {
  readonly workload: Workload;
  readonly pod: JsonObject;
}

/** A document's value with other pods in its workloads; each List is copied once, however many of its items change. */
export function withPods(document: JsonValue, changes: readonly PodChange[]): JsonValue {
  const items = valueAt(document, "items");
  const byItem = Map.groupBy(changes, ({ workload }) => workload.at[1]);
  const own = (byItem.get(undefined) ?? []).reduce(
    (value, { workload, pod }) => withPod(value, workload, pod),
    document,
  );
  if (byItem.size === 0 || !isObject(own) || !Array.isArray(items) || byItem.has(undefined)) return own;
  return withKey(
    own,
    "items",
    (items as readonly JsonValue[]).map((item, index) => {
      const within = byItem.get(index)?.map(({ workload, pod }) => {
        const { at, podAt } = workload;
        return { workload: { ...workload, at: at.slice(2), podAt: podAt.slice(2) }, pod };
      });
      return within === undefined ? item : withPods(item, within);
    }),
  );
}

function withPod(document: JsonValue, { podAt, pod: before }: Workload, pod: JsonObject): JsonValue {
  let result = document;
  for (const part of ["metadata", "spec"]) {
    const value = pod[part];
    if (value !== undefined && value !== before[part]) result = withValue(result, [...podAt, part], value);
  }
  return result;
}

/** The value at a path; undefined where there is none. */
export function valueIn(value: JsonValue | undefined, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (at, step) => (typeof step === "number" ? (Array.isArray(at) ? at[step] : undefined) : valueAt(at, step)),
    value,
  );
}

/** A copy with the value at a path set, or removed where it is undefined; objects on the way are made. */
export function withValue(value: JsonValue | undefined, [step, ...rest]: Path, leaf: JsonValue | undefined): JsonValue {
  if (step === undefined) return leaf ?? null;
  if (typeof step === "number") {
    const list = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
    if (rest.length === 0 && leaf === undefined) return list.filter((_, index) => index !== step);
    return withElement(list, step, withValue(list[step], rest, leaf));
  }
  const object = isObject(value) ? value : {};
  if (rest.length === 0) return withKey(object, step, leaf);
  return withKey(object, step, withValue(valueAt(object, step), rest, leaf));
}
