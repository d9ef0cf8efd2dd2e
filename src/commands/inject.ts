/**
 * `gracegate inject`: the webhook's changes, made in manifests.
 */
import type { CommandDefinition } from "./command.ts";
import { manifestOptions } from "./manifest-options.ts";

/** The command. */
export const inject: CommandDefinition = {
  name: "inject",
  summary: "make the webhook's changes in manifests",
  examples: [
    "istioctl kube-inject -f app.yaml | gracegate inject -f - --policy policies/ --hc-image registry.example/gracegate:0.1.0 | kubectl apply -f -",
    "# what would change, and why",
    "gracegate inject -f app.yaml --policy policies/ --diff",
    "# a folder in place, in a GitOps pipeline",
    "gracegate inject -R -f manifests/ --policy policies/ --hc-image registry.example/gracegate:0.1.0 --write",
  ],
  configure(cli) {
    manifestOptions(cli)
      .option("--role <role>", "write gracegate.dev/role into each pod: gateway or sidecar")
      .option("--diff", "show what changes and why, instead of the manifests")
      .option("--write", "change the files in place, instead of writing to stdout");
  },
  // Loaded when it runs, so that --help is quick.
  run: async (options) => (await import("./inject-run.ts")).run(options),
};
