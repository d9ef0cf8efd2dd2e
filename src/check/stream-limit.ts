/**
 * How long Envoy lets a stream of a gateway last: max_stream_duration, which Istio sets from `connectionSettings` of the
 * proxy's config (1.31) or from an EnvoyFilter.
 */
import { isObject, type JsonValue, objectAt, objectsAt, textAt } from "../pod/json.ts";
import { parseMilliseconds } from "../units/duration.ts";
import type { Milliseconds } from "../units/milliseconds.ts";
import { type Inventory, type Item, itemsOf, selects, titleOfItem, type Workload } from "./inventory.ts";

/** A limit, and who sets it. */
export interface StreamLimit {
  readonly length: Milliseconds;
  readonly by: string;
}

/** The shortest limit; undefined where none is seen. */
export function streamLimitOf(inventory: Inventory, gateway: Workload): StreamLimit | undefined {
  const own = lengthOf(gateway.context?.config?.get(["connectionSettings", "httpMaxStreamDuration"]));
  const mesh = inventory.options.snapshot.meshConfig?.httpMaxStreamDuration;
  const limits: StreamLimit[] = [
    ...(own === undefined ? [] : [{ length: own, by: "proxy.istio.io/config" }]),
    ...(mesh === undefined ? [] : [{ length: mesh, by: "the mesh config" }]),
    ...itemsOf(inventory, "EnvoyFilter")
      .filter((filter) => mayMean(filter, gateway))
      .flatMap((filter) => limitsIn(filter).map((length) => ({ length, by: titleOfItem(filter) }))),
  ];
  return limits.toSorted((a, b) => a.length - b.length)[0];
}

/**
 * Whether a filter may reach a gateway. One without a selector in another namespace counts, since that may be the mesh's
 * root namespace, which no manifest tells.
 */
function mayMean(filter: Item, gateway: Workload): boolean {
  const spec = objectAt(filter.object, "spec");
  const { labels } = objectAt(spec, "workloadSelector");
  return !isObject(labels) || selects(filter, { matchLabels: labels }, gateway);
}

function limitsIn({ object }: Item): readonly Milliseconds[] {
  return objectsAt(objectAt(object, "spec"), "configPatches")
    .filter((patch) => !textAt(objectAt(patch, "match"), "context")?.startsWith("SIDECAR"))
    .flatMap((patch) => durationsIn(objectAt(patch, "patch")));
}

/** Values of max_stream_duration, at any depth. */
function durationsIn(value: JsonValue): readonly Milliseconds[] {
  if (Array.isArray(value)) return value.flatMap((one: JsonValue) => durationsIn(one));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const length = /^max_?stream_?duration$/i.test(key) ? lengthOf(inner) : undefined;
    return length === undefined ? durationsIn(inner ?? null) : [length];
  });
}

/** 0 means none to Envoy. */
function lengthOf(value: unknown): Milliseconds | undefined {
  const parsed = parseMilliseconds(value);
  return parsed.ok && parsed.milliseconds > 0 ? parsed.milliseconds : undefined;
}
