/**
 * The trigger: the command that does what the requests are to survive, run once at a fixed moment of the run.
 *
 * It runs in a shell, in its own process group, so that an interrupted run can end it and what it started. It has ended
 * when the shell has: what it left in the background may hold its output for ever.
 */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { pause } from "./schedule.ts";

/** What to run and when. */
export interface TriggerPlan {
  /** A shell command; undefined when a person acts by hand at that moment. */
  readonly command: string | undefined;
  /** Milliseconds after the begin of the run. */
  readonly atMs: number;
}

/** What became of the trigger. */
export type TriggerResult =
  /** The run ended before its moment. */
  | { readonly state: "not run" }
  /** Nothing was run: a person acts. */
  | { readonly state: "by hand"; readonly atMs: number }
  | { readonly state: "ended"; readonly atMs: number; readonly tookMs: number; readonly code: number }
  /** The run was over before the command was. */
  | { readonly state: "cut short"; readonly atMs: number };

/** Time between SIGTERM and SIGKILL. */
const PATIENCE_MS = 2000;

/** Time that last lines have to arrive after the end of the command. */
const LAST_LINES_MS = 100;

/** Waits for the moment and runs the command; the lines it writes go to `say`. */
export async function runTrigger(
  spec: TriggerPlan,
  world: { now(): number; mark(): void; say(line: string): void },
  signal: AbortSignal,
): Promise<TriggerResult> {
  await pause(Math.max(0, spec.atMs - world.now()), signal);
  if (signal.aborted) return { state: "not run" };
  world.mark();
  const atMs = world.now();
  if (spec.command === undefined) return { state: "by hand", atMs };

  const child = spawn(spec.command, { shell: true, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let ending: Promise<void> | undefined;
  const end = () => {
    if (child.pid !== undefined) ending = endGroup(child.pid);
  };
  signal.addEventListener("abort", end, { once: true });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      for (const line of text.split("\n")) if (line.trim() !== "") world.say(`trigger: ${line.trimEnd()}`);
    });
  }
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const code = await new Promise<number>((resolve) => {
    child.on("error", () => resolve(127));
    child.on("exit", (status) => resolve(status ?? 128));
  });
  signal.removeEventListener("abort", end);
  const result: TriggerResult = signal.aborted
    ? { state: "cut short", atMs }
    : { state: "ended", atMs, tookMs: world.now() - atMs, code };
  await ending;
  await Promise.race([closed, sleep(LAST_LINES_MS)]);
  child.stdout.destroy();
  child.stderr.destroy();
  return result;
}

/** Ends a process group, which is ours since `detached` made it: the shell's children would live on by themselves. */
async function endGroup(group: number): Promise<void> {
  const killAt = performance.now() + PATIENCE_MS;
  for (let isThere = send(group, "SIGTERM"); isThere && performance.now() < killAt; isThere = send(group, 0)) {
    await sleep(50);
  }
  send(group, "SIGKILL");
}

/** Sends a signal to a group, 0 to ask only; whether the group is there. */
function send(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
