/**
 * RFC 6902 patches: made from two pods that share most of their parts, and verified before they leave.
 *
 * fast-json-patch compares and applies; it skips parts that are the same object, so both are cheap here. Two things are
 * added. Inserting a container in the middle of a list would come out as a rewrite of every container behind it, so
 * insertions are found first. And a patch is applied back to the original and compared, since the API server refuses a
 * patch that does not apply even under failurePolicy Ignore.
 */
import jsonpatch, { type Operation } from "fast-json-patch";
import { type JsonArray, type JsonObject, type JsonValue, objectAt, sameJson, valueAt, withKey } from "../pod/json.ts";

/** One operation of a patch. */
export type PatchOperation = Operation;

/** Makes the patch that turns one pod into the other; empty where they are the same. */
export function makePatch(before: JsonObject, after: JsonObject): readonly PatchOperation[] {
  if (before === after) return [];
  const { pod, operations } = insertContainers(before, after);
  return [...operations, ...jsonpatch.compare(pod as object, after as object)];
}

/** The pod with the containers that are only in the result, and the operations that add them. */
function insertContainers(before: JsonObject, after: JsonObject): { pod: JsonObject; operations: PatchOperation[] } {
  const there = valueAt(objectAt(before, "spec"), "containers");
  const wanted = valueAt(objectAt(after, "spec"), "containers");
  if (!Array.isArray(there) || !Array.isArray(wanted) || there.length >= wanted.length) {
    return { pod: before, operations: [] };
  }
  const names = new Set(there.map((container: JsonValue) => valueAt(container, "name")));
  const operations: PatchOperation[] = [];
  let containers: JsonArray = there;
  for (const [index, container] of wanted.entries()) {
    if (names.has(valueAt(container, "name"))) continue;
    operations.push({ op: "add", path: `/spec/containers/${index}`, value: container });
    containers = containers.toSpliced(index, 0, container);
  }
  return { pod: withKey(before, "spec", withKey(objectAt(before, "spec"), "containers", containers)), operations };
}

/**
 * Applies a patch as the API server does: no parent is created, an operation that fails is an error.
 *
 * Only the parts on the way to a change are copied; the original is left as it is.
 *
 * @throws an error of fast-json-patch where the patch does not apply
 */
export function applyPatch(before: JsonObject, operations: readonly PatchOperation[]): JsonObject {
  const copies = new Set<JsonValue>();
  const root = copied(before, copies) as JsonObject;
  for (const { path } of operations) copyAlong(root, segments(path), copies);
  jsonpatch.applyPatch(root, operations, true, true, true);
  return root;
}

/** Replaces every object and list on the way of a pointer by a copy, once. */
function copyAlong(root: JsonObject, path: readonly string[], copies: Set<JsonValue>): void {
  let at: JsonValue = root;
  for (const key of path) {
    const child: JsonValue | undefined = Array.isArray(at) ? at[Number(key)] : valueAt(at, key);
    if (typeof child !== "object" || child === null) return;
    if (copies.has(child)) {
      at = child;
      continue;
    }
    const copy = copied(child, copies);
    (at as Record<string, JsonValue>)[key] = copy;
    at = copy;
  }
}

function copied(value: JsonObject | JsonArray, copies: Set<JsonValue>): JsonObject | JsonArray {
  const copy = Array.isArray(value) ? [...value] : { ...(value as JsonObject) };
  copies.add(copy);
  return copy;
}

function segments(path: string): readonly string[] {
  return path === "" ? [] : path.slice(1).split("/").map(jsonpatch.unescapePathComponent);
}

/**
 * Whether a patch turns one pod into the other. The comparison skips what the two share, so it costs what changed.
 */
export function verifies(before: JsonObject, operations: readonly PatchOperation[], after: JsonObject): boolean {
  try {
    return sameJson(applyPatch(before, operations), after);
  } catch {
    return false;
  }
}
