/**
 * What `gracegate hc-ctl` does: an operator's commands to hc, through its loopback port.
 */
import { askHc } from "../hc/control-client.ts";
import type { Status } from "../hc/status.ts";
import type { HcCtlValues } from "./hc.ts";
import { type ExitCode, exitCode } from "./kit/command.ts";
import { jsonText, print, say } from "./kit/say.ts";

/** Runs the command. */
export async function run({ port, output }: HcCtlValues, [action = "status"]: readonly string[]): Promise<ExitCode> {
  const method = action === "status" ? "GET" : "POST";
  const reply = await askHc(method, `/${action}`, port, new AbortController().signal);
  if (reply.status !== undefined && "state" in reply.status) {
    print(output === "json" ? jsonText(reply.status) : textOf(reply.status));
  }
  if (reply.ok) return exitCode.ok;
  say(`gracegate hc-ctl ${action}: ${reply.reason}.`);
  return exitCode.failed;
}

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
