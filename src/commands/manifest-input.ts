/**
 * What the flags that `inject`, `explain` and `check` share stand for: files, and the pipeline's options.
 */
import { lineOf } from "../codes/registry.ts";
import type { InjectOptions } from "../manifests/inject.ts";
import { manifestNames } from "../sources/manifest-files.ts";
import { loadPolicies } from "../sources/policy-files.ts";
import { type Read, refused, value } from "./kit/read.ts";
import type { ManifestValues } from "./manifests.ts";

/** The files that were named; none is refused. */
export function filesOf({ filename, recursive }: ManifestValues): Read<readonly string[]> {
  if (filename.length === 0) return refused("no manifest is given; write -f FILE, -f FOLDER, or -f - for stdin.");
  if (filename.filter((name) => name === "-").length > 1) return refused("-f - can be given once.");
  const files = manifestNames(filename, recursive);
  return files.length > 0 ? value(files) : refused(`${filename.join(", ")} has no .yaml, .yml or .json file.`);
}

/** What the pipeline needs; policies that cannot be used are refused. */
export function injectOptions(values: ManifestValues, role?: InjectOptions["role"]): Read<InjectOptions> {
  const { policy, meshConfig, rootNamespace, hcImage, gatewayTemplates, namespace = "default" } = values;
  const loaded = loadPolicies({ policy, meshConfig, rootNamespace });
  if (!loaded.ok) return refused(`the policies cannot be used:\n${loaded.problems.map(lineOf).join("\n")}`);
  return value({
    snapshot: loaded.snapshot,
    hcImage,
    gatewayTemplates: gatewayTemplates.split(",").map((name) => name.trim()),
    namespace,
    role,
  });
}
