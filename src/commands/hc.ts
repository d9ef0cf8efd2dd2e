/**
 * `gracegate hc`: the health controller, a long-running process in the gateway pod.
 *
 * It is configured by the environment alone, as docs/hc.md says, and nothing that it does not need is loaded: main.ts
 * runs it before commander.
 */
import { runHc } from "../hc/run.ts";
import type { CommandDefinition, ExitCode } from "./command.ts";

/** The command, for `--help`. */
export const hc: CommandDefinition = {
  name: "hc",
  summary: "the health controller that steers the load balancer",
  examples: [
    "gracegate hc",
    "DRAIN_TIMEOUT=36s LB_BUFFER=9s LB_PROFILE=haproxy gracegate hc",
    "curl -i localhost:18180/health_check.html",
  ],
  configure(cli) {
    cli.addHelpText(
      "before",
      "Configured by environment variables; docs/hc.md lists them.\nSIGTERM starts the drain and does not end it.\n",
    );
  },
  run: async () => (await runHc()) as ExitCode,
};
