/**
 * `gracegate check`: finds in manifests what breaks graceful termination.
 */
import type { CommandDefinition } from "./command.ts";
import { manifestOptions } from "./manifest-options.ts";

/** The command. */
export const check: CommandDefinition = {
  name: "check",
  summary: "find in manifests what breaks graceful termination",
  examples: [
    "gracegate check -R -f manifests/ --policy policies/",
    "kustomize build overlays/prod | gracegate check -f -",
    "# mend what is safe to mend, comments stay",
    "gracegate check -f app.yaml --fix",
    "# what runs, read with kubectl; and whether the webhook answers",
    "gracegate check --cluster",
    "gracegate check --context prod -n edge",
  ],
  configure(cli) {
    manifestOptions(cli)
      .option("--cluster", "check the current context of kubectl; -n for one namespace")
      .option("--context <name>", "check this context of kubectl")
      .option("--fix", "write the safe repairs into the files; from stdin to stdout")
      .option("--fail-on <severity>", "least severity that ends with 1: error, warning, info", "warning")
      .option("--rules", "list the rules")
      .option("-o, --output <format>", "text or json", "text");
  },
  // Loaded when it runs, so that --help is quick.
  run: async (options) => (await import("./check-run.ts")).run(options),
};
