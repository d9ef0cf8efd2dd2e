/**
 * RFC 6902 patches: made from two pods that share most of their parts, and verified before they leave.
 *
 * A patch is applied back to the original and compared, since the API server refuses one that does not apply even under
 * failurePolicy Ignore. fast-json-patch applies it; both steps skip what the two pods share.
 */
import jsonpatch, { type Operation } from "fast-json-patch";
import { type JsonArray, type JsonObject, type JsonValue, sameJson, valueAt } from "../pod/json.ts";
import { differences } from "./diff.ts";

/** One operation of a patch. */
export type PatchOperation = Operation;

/** Makes the patch that turns one pod into the other; empty where they are the same. */
export function makePatch(before: JsonObject, after: JsonObject): readonly PatchOperation[] {
  return differences(before, after);
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
  for (const [index, operation] of operations.entries()) {
    // Only now, since an earlier operation may have moved what is behind it in a list.
    copyAlong(root, segments(operation.path), copies);
    jsonpatch.applyOperation(root, operation, true, true, true, index);
  }
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
