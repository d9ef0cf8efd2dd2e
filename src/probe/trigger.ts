/**
 * The trigger: the command that does what the requests are to survive, run once at a fixed moment of the run.
 *
 * It runs in a shell, in its own process group, so that an interrupted run can end it and what it started.
 */
import { spawn } from "node:child_process";
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

/** Waits for the moment and runs the command; the lines it writes go to `say`. */
export async function runTrigger(
  plan: TriggerPlan,
  world: { now(): number; mark(): void; say(line: string): void },
  signal: AbortSignal,
): Promise<TriggerResult> {
  await pause(Math.max(0, plan.atMs - world.now()), signal);
  if (signal.aborted) return { state: "not run" };
  world.mark();
  const atMs = world.now();
  if (plan.command === undefined) return { state: "by hand", atMs };

  const child = spawn(plan.command, { shell: true, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const end = () => {
    try {
      // The group, since the shell's children would live on; it is ours, it was made by `detached`.
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    } catch {
      // It has ended by itself.
    }
  };
  signal.addEventListener("abort", end, { once: true });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      for (const line of text.split("\n")) if (line.trim() !== "") world.say(`trigger: ${line.trimEnd()}`);
    });
  }
  const code = await new Promise<number>((resolve) => {
    child.on("error", () => resolve(127));
    child.on("close", (status) => resolve(status ?? 128));
  });
  signal.removeEventListener("abort", end);
  return signal.aborted ? { state: "cut short", atMs } : { state: "ended", atMs, tookMs: world.now() - atMs, code };
}
