/**
 * Policies and mesh config from files: read at the start, read again when they change.
 *
 * An invalid edit keeps the last good set in force. The error names the file, the document in it, the field and what is
 * wrong there.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { type Notice, notice } from "../codes/registry.ts";
import { type JsonValue, objectAt, objectsAt, textAt } from "../pod/json.ts";
import type { MeshConfig } from "../policy/mesh-config.ts";
import { type PolicySnapshot, snapshotOf } from "../policy/snapshot.ts";
import { originOf, type Policy, validatePolicy } from "../policy/validate.ts";
import { systemReason } from "../units/system-error.ts";
import { readMeshConfig } from "./mesh-config-text.ts";
import { filesAt } from "./watch-files.ts";

/** Where policies are read from. */
export interface PolicyPaths {
  /** A file or a folder; undefined: there are no policies, as for the offline commands without --policy. */
  readonly policy: string | undefined;
  /** A file with Istio's mesh config, or the folder of a mounted ConfigMap, in which it is called `mesh`. */
  readonly meshConfig: string | undefined;
  readonly rootNamespace: string;
}

/** What was read, or all that is wrong with it. */
export type Loaded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Notice[] };

/** A set of policies that can be used, or all that is wrong. */
export type LoadedPolicies =
  | { readonly ok: true; readonly snapshot: PolicySnapshot }
  | { readonly ok: false; readonly problems: readonly Notice[] };

/** Largest file that is read for policies, bytes. */
const MAX_FILE = 64 * 1024 * 1024;

/** File names that are read in a folder. */
const POLICY_FILE = /\.(?:ya?ml|json)$/;

/** Reads all policies, and the mesh config if there is one. */
export function loadPolicies({ policy, meshConfig, rootNamespace }: PolicyPaths): LoadedPolicies {
  const policies: Loaded<readonly Policy[]> = policy === undefined ? { ok: true, value: [] } : loadPolicyFiles(policy);
  const mesh: Loaded<MeshConfig | undefined> =
    meshConfig === undefined ? { ok: true, value: undefined } : loadMeshFile(meshConfig);
  if (policies.ok && mesh.ok) return { ok: true, snapshot: snapshotOf(policies.value, rootNamespace, mesh.value) };
  return { ok: false, problems: [policies, mesh].flatMap((one) => (one.ok ? [] : one.problems)) };
}

/** Reads the policies of a file or folder. */
export function loadPolicyFiles(path: string): Loaded<readonly Policy[]> {
  const problems: Notice[] = [];
  const policies = readPolicies(path, problems);
  for (const [origin, same] of Map.groupBy(policies, originOf)) {
    if (same.length > 1) problems.push(problem(path, "", `has ${origin} ${same.length} times`));
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: policies };
}

/** Reads a mesh config from a file, or from the folder of a mounted ConfigMap. */
export function loadMeshFile(path: string): Loaded<MeshConfig> {
  const file = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, "mesh") : path;
  const problems: Notice[] = [];
  const text = readText(file, problems);
  if (text === undefined) return { ok: false, problems };
  const mesh = readMeshConfig(text);
  return mesh.ok
    ? { ok: true, value: mesh.value }
    : { ok: false, problems: [problem(file, "", `is no mesh config: ${mesh.reason}`)] };
}

function problem(where: string, path: string, reason: string): Notice {
  return notice("GG601", { where, path, reason });
}

function readPolicies(path: string, problems: Notice[]): readonly Policy[] {
  let files: readonly string[];
  try {
    const all = filesAt(path);
    files = all.length === 1 && all[0] === path ? all : all.filter((file) => POLICY_FILE.test(file));
  } catch (error) {
    problems.push(problem(path, "", `cannot be read: ${systemReason(error)}`));
    return [];
  }
  return files.flatMap((file) => policiesOf(file, problems));
}

function policiesOf(file: string, problems: Notice[]): readonly Policy[] {
  const text = readText(file, problems);
  if (text === undefined) return [];
  if (text === "") {
    // What a tool leaves between truncating a file and writing it; no policies at all are a file with a comment.
    problems.push(problem(file, "", "is empty; write a policy, or a comment"));
    return [];
  }
  const parsed = parseAllDocuments(text, { prettyErrors: true, logLevel: "error" });
  const documents = Array.isArray(parsed) ? parsed : [];
  return documents.flatMap((document, index) => {
    const where = documents.length > 1 ? `${file}, document ${index + 1}` : file;
    const error = document.errors[0];
    if (error !== undefined) {
      problems.push(problem(where, "", `is not YAML: ${error.message.split("\n")[0]?.replace(/:$/, "") ?? ""}`));
      return [];
    }
    let value: JsonValue;
    try {
      value = document.toJS() as JsonValue;
    } catch (error) {
      problems.push(problem(where, "", `cannot be read: ${systemReason(error)}`));
      return [];
    }
    if (value === null) return [];
    const objects = textAt(value, "kind") === "List" ? objectsAt(value, "items") : [value];
    return objects.flatMap((object) => policyOf(object, where, problems));
  });
}

function policyOf(object: JsonValue, where: string, problems: Notice[]): readonly Policy[] {
  const validated = validatePolicy(object);
  if (validated.ok) return [validated.policy];
  const metadata = objectAt(object, "metadata");
  const name = textAt(metadata, "name");
  const named = name === undefined ? where : `${where} (${textAt(metadata, "namespace") ?? ""}/${name})`;
  problems.push(...validated.refusals.map(({ path, reason }) => problem(named, path, reason)));
  return [];
}

function readText(file: string, problems: Notice[]): string | undefined {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > MAX_FILE) throw new Error(`it is larger than ${MAX_FILE} bytes`);
    return bytes.toString();
  } catch (error) {
    problems.push(problem(file, "", `cannot be read: ${systemReason(error)}`));
    return undefined;
  }
}
