/**
 * `gracegate hc-ctl`: an operator's commands to hc, through its loopback port.
 */
import { Argument, Option } from "commander";
import { askHc } from "../hc/control-client.ts";
import type { Status } from "../hc/status.ts";
import { type CommandDefinition, exitCode, print, say } from "./command.ts";
import { controlPortFrom, controlPortOption } from "./control-port.ts";

/** The wishes, and what each does. */
const ACTIONS: Readonly<Record<string, string>> = {
  status: "shows the state, what is in flight and what a drain waits for",
  "close-lb": "gives the balancer the close answer at once, whatever is in flight",
  close: "goes to CLOSED at once",
  reopen: "takes a drain back",
};

/** The command. */
export const hcCtl: CommandDefinition = {
  name: "hc-ctl",
  summary: "the operator's commands to hc: status, close-lb, close, reopen",
  examples: [
    "gracegate hc-ctl status",
    "gracegate hc-ctl status -o json",
    "kubectl exec deploy/istio-ingressgateway -c hc -- gracegate hc-ctl reopen",
  ],
  configure(cli) {
    cli
      .addArgument(new Argument("<action>", "what hc should do").choices(Object.keys(ACTIONS)))
      .addOption(controlPortOption())
      .addOption(
        new Option("-o, --output <format>", "how the answer is written").choices(["text", "json"]).default("text"),
      )
      .addHelpText(
        "after",
        `\nActions:\n${Object.entries(ACTIONS)
          .map(([name, what]) => `  ${name.padEnd(9)} ${what}`)
          .join("\n")}`,
      );
  },
  async run(options, [action = "status"]) {
    const method = action === "status" ? "GET" : "POST";
    const reply = await askHc(method, `/${action}`, controlPortFrom(options), new AbortController().signal);
    if (reply.status !== undefined && "state" in reply.status) {
      print(options.output === "json" ? JSON.stringify(reply.status, undefined, 2) : textOf(reply.status));
    }
    if (reply.ok) return exitCode.ok;
    say(`gracegate hc-ctl ${action}: ${reply.reason}.`);
    return exitCode.failed;
  },
};

function textOf(status: Status): string {
  const { state, cause, seconds, inFlight, waitingOn, findings } = status;
  const because = cause === undefined ? "" : ` because of ${cause}`;
  return [
    `${state} for ${seconds}s${because}`,
    `in flight: ${inFlight ?? "unknown"}`,
    ...waitingOn.map(({ stat, value }) => `  ${value}  ${stat}`),
    ...findings.map(({ code, text }) => `${code}: ${text}`),
  ].join("\n");
}
