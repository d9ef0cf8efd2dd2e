/**
 * The options that `inject`, `explain` and `check` share: which manifests, and the policies that hold for their pods.
 */
import type { Command } from "commander";
import { version } from "../version.ts";

/** What holds unless it is said; a cluster's webhook may have been told otherwise. */
export const defaults = { hcImage: `gracegate:${version}`, rootNamespace: "gracegate", gatewayTemplates: "gateway" };

/** Declares them. */
export function manifestOptions(cli: Command): Command {
  return cli
    .option("-f, --filename <path>", "manifest, folder, or - for stdin; repeatable", collect, [])
    .option("-R, --recursive", "also folders in folders")
    .option("-n, --namespace <name>", "namespace of objects that name none (default)")
    .option("--policy <path>", "GracePolicy file or folder")
    .option("--mesh-config <path>", "Istio's mesh config, or its ConfigMap")
    .option("--root-namespace <name>", "namespace whose policies hold everywhere", defaults.rootNamespace)
    .option("--hc-image <image>", "image of hc where no policy names one", defaults.hcImage)
    .option("--gateway-templates <list>", "injection templates that make a gateway", defaults.gatewayTemplates);
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}
