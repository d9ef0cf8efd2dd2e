/**
 * Istio's mesh config as a text: the YAML of MeshConfig itself, or of a ConfigMap that holds it under `data.mesh`.
 */
import { isObject, type JsonObject, objectAt, textAt } from "../json/json.ts";
import { type MeshConfig, meshConfigOf } from "../policy/mesh-config.ts";
import { readYaml } from "../yaml/read.ts";

/** A mesh config, or what is wrong with the text. */
export type ReadMeshConfig =
  | { readonly ok: true; readonly value: MeshConfig }
  | { readonly ok: false; readonly reason: string };

/** Reads a mesh config. A part of a broken document is not used. */
export function readMeshConfig(text: string): ReadMeshConfig {
  try {
    const value = mappingOf(text);
    const inner = textAt(objectAt(value, "data"), "mesh");
    return { ok: true, value: meshConfigOf(inner === undefined ? value : mappingOf(inner)) };
  } catch (error) {
    return { ok: false, reason: (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "" };
  }
}

/** @throws an error that says what is wrong */
function mappingOf(text: string): JsonObject {
  const read = readYaml(text);
  if (!read.ok) throw new Error(`${read.reason} at line ${text.slice(0, read.at).split("\n").length}`);
  if (!isObject(read.value)) throw new Error("it is not a mapping");
  return read.value;
}
