/**
 * One run from its first request to its report: the scenario, the trigger beside it, HAProxy's counters around it.
 */
import { type BalancerVerdict, judgeBalancer } from "./balancer.ts";
import type { Client } from "./client.ts";
import { type HaproxyRow, haproxyDifference, readHaproxyStats } from "./haproxy-stats.ts";
import { hold } from "./hold.ts";
import { http1Client } from "./http1.ts";
import { http2Client } from "./http2.ts";
import { load } from "./load.ts";
import { once } from "./once.ts";
import { Recorder, type Totals } from "./recorder.ts";
import type { RunSpec } from "./run-spec.ts";
import type { Punctuality } from "./schedule.ts";
import { runTrigger, type TriggerResult } from "./trigger.ts";
import { type Visit, watchResets } from "./watch.ts";

/** All that a run found out. */
export interface Report {
  readonly spec: RunSpec;
  /** When the first request started. */
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly totals: Totals;
  readonly punctuality: Punctuality;
  /** Undefined when none was planned. */
  readonly trigger: TriggerResult | undefined;
  /** What HAProxy's counters gained; undefined when they were not asked for, or could not be read at the end. */
  readonly haproxy: readonly HaproxyRow[] | undefined;
  /** Why they could not be read at the end, in a sentence. */
  readonly haproxyError: string | undefined;
  /** Undefined unless resets were watched. */
  readonly balancer: BalancerVerdict | undefined;
  /** Whether somebody ended the run early. */
  readonly isInterrupted: boolean;
}

/** Where a run's words go. */
export interface Listener {
  /** A sentence for a person. */
  say(line: string): void;
  /** The run has begun; its totals may be looked at while it lasts. */
  began(recorder: Recorder): void;
}

/**
 * Runs a spec.
 *
 * @param signal interrupts the run; what has ended by then is still reported
 * @throws an Error when HAProxy's counters cannot be read before the run; afterwards there is too much to lose
 */
export async function run(spec: RunSpec, listener: Listener, signal: AbortSignal): Promise<Report> {
  const before = spec.haproxyStats === undefined ? undefined : await readHaproxyStats(spec.haproxyStats, signal);
  const client = (spec.http2 ? http2Client : http1Client)(spec.client);
  const startedAt = new Date();
  const recorder = new Recorder();
  listener.began(recorder);
  const close = () => client.close();
  signal.addEventListener("abort", close, { once: true });

  const over = new AbortController();
  const world = { now: () => recorder.now(), mark: () => recorder.markTrigger(), say: listener.say };
  const triggered = spec.trigger && runTrigger(spec.trigger, world, AbortSignal.any([signal, over.signal]));

  try {
    const { punctuality, visits } = await play(spec, client, recorder, signal);
    const durationMs = recorder.now();
    over.abort();
    const trigger = await triggered;
    const after = await readAfter(spec, signal);
    return {
      spec,
      startedAt,
      durationMs,
      totals: recorder.totals(),
      punctuality,
      trigger,
      haproxy: before && after.rows && haproxyDifference(before, after.rows),
      haproxyError: after.error,
      balancer:
        visits && (trigger && "atMs" in trigger ? judgeBalancer(visits, trigger.atMs, longMsOf(spec)) : NOT_TRIGGERED),
      isInterrupted: signal.aborted,
    };
  } finally {
    over.abort();
    signal.removeEventListener("abort", close);
    client.close();
  }
}

/** HAProxy's counters at the end, or why there are none. */
async function readAfter(
  { haproxyStats }: RunSpec,
  signal: AbortSignal,
): Promise<{ rows?: readonly HaproxyRow[]; error?: string }> {
  if (haproxyStats === undefined || signal.aborted) return {};
  try {
    return { rows: await readHaproxyStats(haproxyStats, signal) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

const NOT_TRIGGERED: BalancerVerdict = { verdict: "unknown", because: "The run ended before the trigger." };

/** How long the long requests of a watch take by themselves: known only at probe-target's own path. */
function longMsOf({ scenario, targets }: RunSpec): number | undefined {
  return scenario.name === "watch" && targets.every(({ path }) => path === undefined)
    ? scenario.seconds * 1000
    : undefined;
}

/** Plays the scenario. */
async function play(
  spec: RunSpec,
  client: Client,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<{ punctuality: Punctuality; visits?: readonly Visit[] }> {
  const { scenario } = spec;
  switch (scenario.name) {
    case "long":
    case "stream":
      return { punctuality: await once(spec, scenario, client, recorder) };
    case "load":
      return { punctuality: await load(spec, scenario, client, recorder, signal) };
    case "tcp":
      return { punctuality: await hold(spec, scenario, recorder, signal) };
    case "watch":
      return watchResets(spec, scenario, client, recorder, signal);
  }
}
