/**
 * `gracegate drain`: starts a drain through hc and blocks until CLOSED, with a line for each transition.
 *
 * It is the runbook's graceful-drain.sh, for preStop hooks of one's own and for operators. The drain itself is hc's: if
 * this command is killed, the drain goes on.
 */
import { askHc, type ControlReply } from "../hc/control-client.ts";
import { pause } from "../hc/deadline.ts";
import type { Entry } from "../hc/history.ts";
import type { Status } from "../hc/status.ts";
import type { DrainValues } from "./hc.ts";
import { type ExitCode, exitCode } from "./kit/command.ts";
import { showProgress } from "./kit/progress.ts";
import { print, say } from "./kit/say.ts";

/** Between two looks at hc, milliseconds. */
const INTERVAL_MS = 250;

/** Looks without an answer after which hc counts as gone: it ends by itself soon after CLOSED. */
const MOST_FAILURES = 8;

/** Runs the command. */
export async function run({ port, wait }: DrainValues): Promise<ExitCode> {
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  const before = await askHc("GET", "/status", port, interrupted.signal);
  if (!before.ok) return failed(before.reason);
  const seen = before.status.history.at(-1)?.number ?? 0;
  const started = await askHc("POST", "/drain", port, interrupted.signal);
  // Nothing was ever sent to a gateway that is CLOSED: there is nothing to wait for.
  if (!started.ok && started.status?.state !== "CLOSED") return failed(started.reason);
  if (!started.ok) say(`Nothing to drain: ${started.reason}.`);
  if (!started.ok || !wait) return exitCode.ok;
  return await untilClosed(started, seen, port, interrupted.signal);
}

async function untilClosed(first: ControlReply, last: number, port: number, signal: AbortSignal): Promise<ExitCode> {
  let reply = first;
  let seen = last;
  let failures = 0;
  while (!signal.aborted) {
    if (reply.ok) {
      failures = 0;
      for (const entry of reply.status.history.filter(({ number }) => number > seen)) {
        print(lineOf(entry));
        seen = entry.number;
      }
      const { state } = reply.status;
      if (state === "CLOSED") return exitCode.ok;
      if (state === "OPEN") return failed("the drain was taken back, and the gateway is OPEN again");
      showProgress(progressText(reply.status));
    } else if (++failures >= MOST_FAILURES) return failed(reply.reason);
    await pause(INTERVAL_MS, signal);
    reply = await askHc("GET", "/status", port, signal);
  }
  return failed("interrupted; the drain goes on, and gracegate hc-ctl reopen takes it back");
}

/** The same words as in hc's log. */
function lineOf({ from, to, cause, inFlight, elapsed }: Entry): string {
  return `event=transition from=${from} to=${to} cause=${cause} inFlight=${inFlight ?? "unknown"} elapsed=${elapsed.toFixed(1)}s`;
}

function progressText({ state, inFlight, seconds, waitingOn }: Status): string {
  const on = waitingOn[0] === undefined ? "" : `, waiting on ${waitingOn[0].stat}`;
  return `${state} for ${seconds}s, ${inFlight ?? "?"} in flight${on}`;
}

function failed(reason: string): ExitCode {
  say(`gracegate drain: ${reason}.`);
  return exitCode.failed;
}
