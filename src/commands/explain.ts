/**
 * `gracegate explain`: a pod's start and termination as a timeline.
 */
import type { CommandDefinition } from "./command.ts";
import { manifestOptions } from "./manifest-options.ts";

/** The command. */
export const explain: CommandDefinition = {
  name: "explain",
  summary: "show a pod's start and termination as a timeline",
  examples: [
    "gracegate explain -f gateway.yaml",
    "# as it is, and as Gracegate would make it, as a picture",
    "gracegate explain -f gateway.yaml --policy policies/ --before-after --svg gateway.svg",
    "# of a pod that runs",
    "kubectl get pod -n edge gateway-0 -o yaml | gracegate explain -f -",
  ],
  configure(cli) {
    manifestOptions(cli)
      .option("--before-after", "show the pod as it is and as Gracegate makes it")
      .option("--after", "show the pod as Gracegate makes it only")
      .option("--only <name>", "only the workload of this name")
      .option("--svg <file>", "write the timeline of one workload as a picture")
      .option("-o, --output <format>", "text or json", "text");
  },
  // Loaded when it runs, so that --help is quick.
  run: async (options) => (await import("./explain-run.ts")).run(options),
};
