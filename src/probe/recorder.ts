/**
 * The totals of a run: every request that ended is entered once, and the counts are exact whatever the rate.
 *
 * Only losses are kept one by one, and of those the first MOST_LOSSES: they are what somebody looks up afterwards.
 */
import { createHistogram } from "node:perf_hooks";
import { describe } from "./client.ts";
import { type Kind, kinds, type RequestOutcome, type Retry, retries, retryOf } from "./outcome.ts";
import { type Timeline, timelineRecorder } from "./timeline.ts";

/** One loss. Instants are milliseconds since the run began. */
export interface Loss {
  readonly atMs: number;
  readonly startedMs: number;
  readonly target: string;
  readonly kind: Kind;
  readonly detail: string;
  readonly phase: string;
  /** Whether it was on a connection that had carried an earlier request. */
  readonly reused: boolean;
  readonly retry: Retry;
  /** The loss in words. */
  readonly text: string;
}

/**
 * Latencies of complete answers in milliseconds, from the scheduled instant. Those of a load's long requests are left
 * out; of held connections it is the echoes' round trip.
 */
export interface Latency {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** All counts of a run. */
export interface Totals {
  readonly started: number;
  /** Requests that were in flight when the run was interrupted; neither ok nor lost. */
  readonly unfinished: number;
  /** Requests that were due and not sent, because too many were in flight. */
  readonly unsent: number;
  readonly outcomes: Readonly<Record<Kind, number>>;
  /** Within 5xx, other status, h2 stream resets and other errors: how many by code or name. */
  readonly details: Readonly<Partial<Record<Kind, Readonly<Record<string, number>>>>>;
  readonly lost: number;
  /** Losses by target. */
  readonly lostByTarget: Readonly<Record<string, number>>;
  /** Losses of each class that were on reused connections. */
  readonly lostOnReused: Readonly<Partial<Record<Kind, number>>>;
  /** Losses by the retry that would have hidden them. */
  readonly hiddenBy: Readonly<Record<Retry, number>>;
  /** Losses that ended before the trigger; a run with any is void. */
  readonly lostBeforeTrigger: number;
  /** Requests that ended before the trigger. */
  readonly endedBeforeTrigger: number;
  readonly latencyMs: Latency;
  readonly losses: readonly Loss[];
  readonly timeline: Timeline;
}

/** Losses that are kept one by one. */
export const MOST_LOSSES = 1000;

/** Where a request stood in time, on performance.now()'s clock. */
export interface Times {
  /** When it was due; undefined for a held connection or a long request, whose length is no latency. */
  readonly scheduledMs: number | undefined;
  readonly startedMs: number;
}

/** The recorder of one run. Its clock starts when it is made. */
export class Recorder {
  readonly #began = performance.now();
  readonly #latency = createHistogram({ highest: 3_600_000_000, figures: 3 });
  readonly #timeline = timelineRecorder(1000);
  readonly #outcomes = zeros(kinds);
  readonly #hiddenBy = zeros(retries);
  readonly #details: Partial<Record<Kind, Record<string, number>>> = {};
  readonly #lostByTarget: Record<string, number> = {};
  readonly #lostOnReused: Partial<Record<Kind, number>> = {};
  readonly #losses: Loss[] = [];
  #started = 0;
  #unfinished = 0;
  #unsent = 0;
  #ended = 0;
  #answers = 0;
  #before: { ended: number; lost: number } | undefined;

  /** Milliseconds since the run began. */
  now(): number {
    return performance.now() - this.#began;
  }

  /** Enters that a request has started. */
  start(): void {
    this.#started += 1;
  }

  /** Enters that a request was due and could not be sent. */
  skip(): void {
    this.#unsent += 1;
  }

  /** Remembers how the totals stand at the trigger. */
  markTrigger(): void {
    this.#before ??= { ended: this.#ended, lost: this.lost };
  }

  /** Enters the round trip of one line on a held connection, in milliseconds. */
  echo(latencyMs: number): void {
    this.#record(latencyMs);
  }

  #record(latencyMs: number): void {
    this.#answers += 1;
    this.#latency.record(Math.max(1, Math.round(latencyMs * 1000)));
  }

  /** Enters how a request ended. */
  end(target: string, times: Times, outcome: RequestOutcome | undefined): void {
    if (outcome === undefined) {
      this.#unfinished += 1;
      return;
    }
    const endedMs = performance.now();
    const latencyMs = times.scheduledMs === undefined ? 0 : endedMs - times.scheduledMs;
    const { kind, detail } = outcome;
    this.#ended += 1;
    this.#outcomes[kind] += 1;
    this.#timeline.add(endedMs - this.#began, kind, latencyMs);
    if (kind === "ok") {
      if (times.scheduledMs !== undefined) this.#record(latencyMs);
      return;
    }
    if (detail !== "") {
      const details = this.#details[kind] ?? {};
      details[detail] = (details[detail] ?? 0) + 1;
      this.#details[kind] = details;
    }
    this.#lostByTarget[target] = (this.#lostByTarget[target] ?? 0) + 1;
    if (outcome.reused) this.#lostOnReused[kind] = (this.#lostOnReused[kind] ?? 0) + 1;
    this.#hiddenBy[retryOf(outcome)] += 1;
    if (this.#losses.length < MOST_LOSSES) {
      this.#losses.push({
        atMs: endedMs - this.#began,
        startedMs: times.startedMs - this.#began,
        target,
        kind,
        detail,
        phase: outcome.phase,
        reused: outcome.reused,
        retry: retryOf(outcome),
        text: describe(outcome),
      });
    }
  }

  /** Requests that ended in any way but a complete 2xx. */
  get lost(): number {
    return this.#ended - this.#outcomes.ok;
  }

  /** Counts for a progress line. */
  get progress(): { started: number; ok: number; lost: number; inFlight: number } {
    const inFlight = this.#started - this.#ended - this.#unfinished;
    return { started: this.#started, ok: this.#outcomes.ok, lost: this.lost, inFlight };
  }

  /** All counts as they stand. */
  totals(): Totals {
    const ms = (percent: number) => this.#latency.percentile(percent) / 1000;
    const before = this.#before ?? { ended: this.#ended, lost: this.lost };
    return {
      started: this.#started,
      unfinished: this.#unfinished,
      unsent: this.#unsent,
      outcomes: { ...this.#outcomes },
      details: structuredClone(this.#details),
      lost: this.lost,
      lostByTarget: { ...this.#lostByTarget },
      lostOnReused: { ...this.#lostOnReused },
      hiddenBy: { ...this.#hiddenBy },
      lostBeforeTrigger: before.lost,
      endedBeforeTrigger: before.ended,
      latencyMs:
        this.#answers === 0
          ? { p50: 0, p90: 0, p99: 0, max: 0 }
          : { p50: ms(50), p90: ms(90), p99: ms(99), max: this.#latency.max / 1000 },
      losses: [...this.#losses],
      timeline: this.#timeline.upTo(this.now()),
    };
  }
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
