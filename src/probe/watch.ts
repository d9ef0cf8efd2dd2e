/**
 * `--watch-resets`: what a balancer does with sessions when one of its backends is disabled.
 *
 * Three kinds of requests run side by side. Long ones show whether work in flight is cut. Short ones on new connections
 * show when a backend has left the rotation. Short ones on kept connections show whether those still reach it.
 */
import type { Client } from "./client.ts";
import { sleepPath } from "./once.ts";
import type { RequestOutcome } from "./outcome.ts";
import type { Recorder } from "./recorder.ts";
import type { RunSpec, WatchScenario } from "./run-spec.ts";
import { keepSchedule, type Punctuality } from "./schedule.ts";
import { isChosen } from "./share.ts";
import type { Target } from "./target.ts";

/** One request of a watch that has ended; instants are milliseconds since the run began. */
export interface Visit {
  readonly role: "long" | "kept" | "new";
  readonly startedMs: number;
  readonly endedMs: number;
  readonly outcome: RequestOutcome;
}

/** Watches for the scenario's time; every visit goes into the totals and into the list that is returned. */
export async function watchResets(
  spec: RunSpec,
  { seconds, count, intervalMs }: WatchScenario,
  client: Client,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<{ punctuality: Punctuality; visits: readonly Visit[] }> {
  const visits: Visit[] = [];
  const all: Promise<void>[] = [];

  const visit = async (role: Visit["role"], target: Target, lane: number | undefined): Promise<void> => {
    const started = recorder.now();
    const startedMs = performance.now();
    recorder.start();
    const path = role === "long" ? (target.path ?? sleepPath(seconds)) : "/";
    const outcome = await client.request({ target, path, lane, timeoutMs: spec.timeoutMs, lines: undefined });
    recorder.end(target.label, { scheduledMs: role === "long" ? undefined : startedMs, startedMs }, outcome);
    if (outcome !== undefined) visits.push({ role, startedMs: started, endedMs: recorder.now(), outcome });
  };

  for (const target of spec.targets) {
    for (let index = 0; index < count; index += 1) all.push(visit("long", target, undefined));
  }
  const perRound = spec.targets.length * count * 2;
  let kept = 0;
  const punctuality = await keepSchedule(
    { rate: (perRound * 1000) / intervalMs, durationMs: seconds * 1000, signal },
    (index) => {
      const target = spec.targets[index % spec.targets.length];
      if (target === undefined) return;
      const isNew = isChosen(Math.floor(index / spec.targets.length), 0.5, "new");
      all.push(isNew ? visit("new", target, undefined) : visit("kept", target, kept++ % count));
    },
  );
  await Promise.all(all);
  return { punctuality, visits };
}
