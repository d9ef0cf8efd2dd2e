/**
 * What the options that `inject`, `explain` and `check` share stand for: files, and the pipeline's options.
 */
import { lineOf } from "../codes/registry.ts";
import type { InjectOptions } from "../manifests/inject.ts";
import { manifestNames } from "../sources/manifest-files.ts";
import { loadPolicies } from "../sources/policy-files.ts";
import { WrongUse } from "./command.ts";

/**
 * The files that were named.
 *
 * @throws WrongUse where none was
 */
export function filesOf(options: Readonly<Record<string, unknown>>): readonly string[] {
  const names = options.filename as readonly string[];
  if (names.length === 0) throw new WrongUse("no manifest is given; write -f FILE, -f FOLDER, or -f - for stdin.");
  if (names.filter((name) => name === "-").length > 1) throw new WrongUse("-f - can be given once.");
  const files = manifestNames(names, options.recursive === true);
  if (files.length === 0) throw new WrongUse(`${names.join(", ")} has no .yaml, .yml or .json file.`);
  return files;
}

/**
 * What the pipeline needs.
 *
 * @throws WrongUse for policies that cannot be used
 */
export function injectOptions(options: Readonly<Record<string, unknown>>): InjectOptions {
  const role = options.role;
  if (role !== undefined && role !== "gateway" && role !== "sidecar") {
    throw new WrongUse(`--role ${String(role)} is no role; there are gateway and sidecar.`);
  }
  const text = (name: string) => (options[name] === undefined ? undefined : String(options[name]));
  const loaded = loadPolicies({
    policy: text("policy"),
    meshConfig: text("meshConfig"),
    rootNamespace: String(options.rootNamespace),
  });
  if (!loaded.ok) throw new WrongUse(`the policies cannot be used:\n${loaded.problems.map(lineOf).join("\n")}`);
  return {
    snapshot: loaded.snapshot,
    hcImage: String(options.hcImage),
    gatewayTemplates: String(options.gatewayTemplates)
      .split(",")
      .map((name) => name.trim()),
    namespace: text("namespace") ?? "default",
    role,
  };
}
