/**
 * S1 and S4: a few long answers, each on a connection of its own, started together and waited for.
 */
import type { Client } from "./client.ts";
import type { Recorder } from "./recorder.ts";
import type { LongScenario, RunSpec, StreamScenario } from "./run-spec.ts";
import { type Punctuality, punctual } from "./schedule.ts";
import type { Target } from "./target.ts";

/** Makes the requests and waits for their ends. */
export async function once(
  spec: RunSpec,
  scenario: LongScenario | StreamScenario,
  client: Client,
  recorder: Recorder,
): Promise<Punctuality> {
  const requests = spec.targets.flatMap((target) => Array.from({ length: scenario.count }, () => target));
  await Promise.all(
    requests.map(async (target) => {
      const startedMs = performance.now();
      recorder.start();
      const outcome = await client.request({
        target,
        path: pathOf(target, scenario),
        lane: undefined,
        timeoutMs: spec.timeoutMs,
        // A path of the user's own need not answer in lines.
        lines: scenario.name === "stream" && target.path === undefined ? scenario.chunks : undefined,
      });
      recorder.end(target.label, { scheduledMs: startedMs, startedMs }, outcome);
    }),
  );
  return punctual;
}

function pathOf(target: Target, scenario: LongScenario | StreamScenario): string {
  if (target.path !== undefined) return target.path;
  return scenario.name === "long" ? sleepPath(scenario.seconds) : `/stream?chunks=${scenario.chunks}&interval=1`;
}

/** The path at which probe-target answers after so many seconds. */
export function sleepPath(seconds: number): string {
  return `/sleep?seconds=${seconds}`;
}
