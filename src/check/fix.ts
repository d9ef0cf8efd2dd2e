/**
 * Writes the safe repairs into the texts of the documents.
 */
import type { Manifest } from "../manifests/document.ts";
import { rewrite } from "../manifests/rewrite.ts";
import { valueIn, withValue } from "../manifests/workload.ts";
import { isObject, type JsonValue } from "../pod/json.ts";
import type { PlacedFinding } from "./run.ts";

/** The new texts of documents that change. */
export function repaired(results: readonly PlacedFinding[]): ReadonlyMap<Manifest, string> {
  const texts = new Map<Manifest, string>();
  const repairs = results.flatMap(({ repair }) => (repair === undefined ? [] : [repair]));
  for (const [manifest, own] of Map.groupBy(repairs, ({ item }) => item.manifest)) {
    const after = own.reduce<JsonValue>((value, { item, change }) => {
      const object = valueIn(value, item.at);
      if (!isObject(object)) return value;
      const mended = change(object);
      return item.at.length === 0 ? mended : withValue(value, item.at, mended);
    }, manifest.value);
    texts.set(manifest, rewrite(manifest, after).text);
  }
  return texts;
}
