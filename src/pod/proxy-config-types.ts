/**
 * Which fields of proxy.istio.io/config have a type that Istio's decoder refuses, so that no pod would be created.
 *
 * The decoder is jsonpb: numbers may be quoted, bools may not; a duration is a text; a wrapped value is written bare. What
 * has a field of its own (durations as texts, proxyMetadata) is told elsewhere.
 */
import type { JsonObject, JsonValue } from "../json/json.ts";
import { valueAt } from "../json/json.ts";
import { spellings } from "./spellings.ts";

interface Type {
  /** What is right, for a sentence. */
  readonly wants: string;
  readonly isRight: (value: JsonValue) => boolean;
  readonly fields: readonly string[];
}

const types: readonly Type[] = [
  {
    wants: "true or false without quotes",
    isRight: (value) => typeof value === "boolean",
    fields: ["holdApplicationUntilProxyStarts"],
  },
  {
    wants: "a whole number",
    isRight: (value) => /^-?[0-9]{1,10}$/.test(String(value)) && Math.abs(Number(value)) < 2 ** 31,
    fields: ["concurrency", "statusPort", "proxyAdminPort", "statNameLength", "fileFlushMinSizeKb"],
  },
  {
    wants: "a duration such as 40s",
    isRight: (value) => typeof value === "string" || typeof value === "number",
    fields: ["terminationDrainDuration", "drainDuration", "fileFlushInterval"],
  },
  {
    wants: "a text",
    isRight: (value) => typeof value === "string",
    fields: ["configPath", "binaryPath", "discoveryAddress", "proxyBootstrapTemplatePath", "customConfigFile"],
  },
];

/** The first field with a type that Istio refuses, and what it wants there. */
export function wrongTypeIn(value: JsonObject): { readonly field: string; readonly wants: string } | undefined {
  for (const { wants, isRight, fields } of types) {
    const field = fields.find((name) => {
      const found =
        spellings(name)
          .map((key) => valueAt(value, key))
          .find((one) => one !== undefined) ?? null;
      return found !== null && !isRight(found);
    });
    if (field !== undefined) return { field, wants };
  }
  return undefined;
}
