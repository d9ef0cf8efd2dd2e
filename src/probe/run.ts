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
import type { Plan } from "./plan.ts";
import { type Books, Recorder } from "./recorder.ts";
import type { Punctuality } from "./schedule.ts";
import { runTrigger, type TriggerResult } from "./trigger.ts";
import { type Visit, watchResets } from "./watch.ts";

/** All that a run found out. */
export interface Report {
  readonly plan: Plan;
  /** When the first request started. */
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly books: Books;
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
  /** The run has begun; its books may be looked at while it lasts. */
  began(recorder: Recorder): void;
}

/**
 * Runs a plan.
 *
 * @param signal interrupts the run; what has ended by then is still reported
 * @throws an Error when HAProxy's counters cannot be read before the run; afterwards there is too much to lose
 */
export async function run(plan: Plan, listener: Listener, signal: AbortSignal): Promise<Report> {
  const before = plan.haproxyStats === undefined ? undefined : await readHaproxyStats(plan.haproxyStats, signal);
  const client = (plan.http2 ? http2Client : http1Client)(plan.client);
  const startedAt = new Date();
  const recorder = new Recorder();
  listener.began(recorder);
  const close = () => client.close();
  signal.addEventListener("abort", close, { once: true });

  const over = new AbortController();
  const world = { now: () => recorder.now(), mark: () => recorder.markTrigger(), say: listener.say };
  const triggered = plan.trigger && runTrigger(plan.trigger, world, AbortSignal.any([signal, over.signal]));

  try {
    const { punctuality, visits } = await play(plan, client, recorder, signal);
    const durationMs = recorder.now();
    over.abort();
    const trigger = await triggered;
    const after = await readAfter(plan, signal);
    return {
      plan,
      startedAt,
      durationMs,
      books: recorder.books(),
      punctuality,
      trigger,
      haproxy: before && after.rows && haproxyDifference(before, after.rows),
      haproxyError: after.error,
      balancer:
        visits && (trigger && "atMs" in trigger ? judgeBalancer(visits, trigger.atMs, longMsOf(plan)) : NOT_TRIGGERED),
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
  { haproxyStats }: Plan,
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
function longMsOf({ scenario, targets }: Plan): number | undefined {
  return scenario.name === "watch" && targets.every(({ path }) => path === undefined)
    ? scenario.seconds * 1000
    : undefined;
}

/** Plays the scenario. */
async function play(
  plan: Plan,
  client: Client,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<{ punctuality: Punctuality; visits?: readonly Visit[] }> {
  const { scenario } = plan;
  switch (scenario.name) {
    case "long":
    case "stream":
      return { punctuality: await once(plan, scenario, client, recorder) };
    case "load":
      return { punctuality: await load(plan, scenario, client, recorder, signal) };
    case "tcp":
      return { punctuality: await hold(plan, scenario, recorder, signal) };
    case "watch":
      return watchResets(plan, scenario, client, recorder, signal);
  }
}
