/**
 * Istio's mesh config as a text: the YAML of MeshConfig itself, or of a ConfigMap that holds it under `data.mesh`.
 */
import { parseDocument } from "yaml";
import { isObject, type JsonObject, objectAt, textAt } from "../pod/json.ts";
import { type MeshConfig, meshConfigOf } from "../policy/mesh-config.ts";

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
  const document = parseDocument(text, { logLevel: "error" });
  const [problem] = document.errors;
  if (problem !== undefined) throw new Error(problem.message.split("\n")[0]?.replace(/:$/, ""));
  const value: unknown = document.toJS();
  if (!isObject(value)) throw new Error("it is not a mapping");
  return value;
}
