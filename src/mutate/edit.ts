/**
 * Copies of a pod with one part changed. Everything else is shared with the original, which makes comparing the two cheap.
 */
import {
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  objectAt,
  sameJson,
  valueAt,
  withElement,
  withKey,
} from "../pod/json.ts";
import type { ContainerList } from "../pod/proxy.ts";

/** A copy with one annotation set. */
export function withAnnotation(pod: JsonObject, name: string, value: string): JsonObject {
  const metadata = objectAt(pod, "metadata");
  return withKey(
    pod,
    "metadata",
    withKey(metadata, "annotations", withKey(objectAt(metadata, "annotations"), name, value)),
  );
}

/** A copy with one field of the spec set, or removed. */
export function withSpec(pod: JsonObject, field: string, value: JsonValue | undefined): JsonObject {
  return withKey(pod, "spec", withKey(objectAt(pod, "spec"), field, value));
}

/** A copy with one container replaced. */
export function withContainer(pod: JsonObject, list: ContainerList, index: number, container: JsonObject): JsonObject {
  const containers = valueAt(objectAt(pod, "spec"), list);
  return Array.isArray(containers) ? withSpec(pod, list, withElement(containers, index, container)) : pod;
}

/** A container with its preStop hook set, or removed; postStart is kept. */
export function withPreStop(container: JsonObject, hook: JsonObject | undefined): JsonObject {
  const lifecycle = withKey(objectAt(container, "lifecycle"), "preStop", hook);
  return withKey(container, "lifecycle", Object.keys(lifecycle).length === 0 ? undefined : lifecycle);
}

/** The container of a name, and where it is. */
export function containerNamed(
  pod: JsonObject,
  list: ContainerList,
  name: string,
): { readonly index: number; readonly container: JsonObject } | undefined {
  const containers = valueAt(objectAt(pod, "spec"), list);
  if (!Array.isArray(containers)) return undefined;
  const index = containers.findIndex((container) => valueAt(container, "name") === name);
  const container = containers[index];
  return isObject(container) ? { index, container } : undefined;
}

/**
 * Lays wanted values over what is there: objects key by key, lists of named objects by name, everything else replaced.
 * What is there and not wanted stays, such as the API server's defaults and what other webhooks added.
 *
 * @returns what is there, the same object, where it is as wanted
 */
export function overlay(there: JsonValue | undefined, wanted: JsonValue): JsonValue {
  if (isObject(there) && isObject(wanted)) {
    const base = withoutOther(there, wanted);
    const changed = Object.entries(wanted)
      .map(([key, value]) => [key, overlay(valueAt(base, key), value)] as const)
      .filter(([key, value]) => valueAt(base, key) !== value);
    // One copy, however many keys there are.
    return changed.length === 0 ? base : { ...base, ...Object.fromEntries(changed) };
  }
  if (Array.isArray(there) && isNamed(there) && Array.isArray(wanted) && isNamed(wanted)) {
    const byName = new Map(there.map((element) => [valueAt(element, "name"), element]));
    const names = new Set(wanted.map((element) => valueAt(element, "name")));
    const united = [
      ...wanted.map((element) => overlay(byName.get(valueAt(element, "name")), element)),
      ...there.filter((element) => !names.has(valueAt(element, "name"))),
    ];
    return united.length === there.length && united.every((element, index) => element === there[index])
      ? there
      : united;
  }
  return there !== undefined && sameJson(there, wanted) ? there : wanted;
}

/** A variable has a value or a reference; the API server refuses both together. */
function withoutOther(there: JsonObject, wanted: JsonObject): JsonObject {
  if (valueAt(wanted, "valueFrom") !== undefined) return withKey(there, "value", undefined);
  return valueAt(wanted, "value") === undefined ? there : withKey(there, "valueFrom", undefined);
}

function isNamed(list: JsonArray): boolean {
  return list.every((element) => typeof valueAt(element, "name") === "string");
}
