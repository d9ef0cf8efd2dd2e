/**
 * S2 and S3: steady load over keep-alive and one-shot clients, with a share of long requests.
 *
 * Kept connections and new ones fail differently when a pod goes: the first meet a connection that is being closed, the
 * second a port that no longer listens. A rollout that is measured with one kind only is half measured.
 */
import type { Client } from "./client.ts";
import type { Recorder } from "./recorder.ts";
import type { LoadScenario, RunSpec } from "./run-spec.ts";
import { keepSchedule, type Punctuality } from "./schedule.ts";
import { isChosen } from "./share.ts";

/** Runs the load and waits for every request that it started. */
export async function load(
  spec: RunSpec,
  { rate, durationMs, oneShot, longShare, longPath, mostInFlight }: LoadScenario,
  client: Client,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<Punctuality> {
  const inFlight = new Set<Promise<void>>();
  const punctuality = await keepSchedule({ rate, durationMs, signal }, (index, scheduledMs) => {
    const target = spec.targets[index % spec.targets.length];
    if (target === undefined) return;
    if (inFlight.size >= mostInFlight) return recorder.skip();
    const round = Math.floor(index / spec.targets.length);
    const isLong = isChosen(round, longShare, "long");
    // A request that was asked to be long would only hide what the short ones say about latency.
    const times = { scheduledMs: isLong ? undefined : scheduledMs, startedMs: performance.now() };
    recorder.start();
    const request = client
      .request({
        target,
        path: isLong ? longPath : (target.path ?? "/"),
        lane: isChosen(round, oneShot, "new") ? undefined : round,
        timeoutMs: spec.timeoutMs,
        lines: undefined,
      })
      .then((outcome) => {
        recorder.end(target.label, times, outcome);
        inFlight.delete(request);
      });
    inFlight.add(request);
  });
  await Promise.all(inFlight);
  return punctuality;
}
