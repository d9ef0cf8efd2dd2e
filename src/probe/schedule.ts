/**
 * Open-loop load: requests start on schedule, whether or not earlier ones have ended.
 *
 * A closed loop (a worker that waits for its answer) stops sending while the server stalls and so hides the stall;
 * that is "coordinated omission". Here every request has a scheduled instant, and its latency counts from there.
 */
import { createHistogram } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/** What to send and for how long. */
export interface Schedule {
  /** Requests per second, more than 0. */
  readonly rate: number;
  readonly durationMs: number;
  /** Ends the load early; requests that have started are not touched. */
  readonly signal: AbortSignal;
}

/** How well the generator kept its own schedule. */
export interface Punctuality {
  /** Time from a request's scheduled instant to its start: the generator's own fault, in milliseconds. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Share of the run, 0 to 1, in which a request was due for more than BEHIND_MS and had not been started. */
  readonly behind: number;
}

/** A timer of Node fires up to two milliseconds late; being late by less than this is not being behind. */
export const BEHIND_MS = 5;

/** A run whose lag goes over this says so: its latencies are partly the generator's own. */
export const LAG_LIMIT_MS = 100;

/**
 * Calls `start` for every request at its instant.
 *
 * @param start gets the number of the request, from 0, and its scheduled instant on performance.now()'s clock; it must not block
 */
export async function keepSchedule(
  { rate, durationMs, signal }: Schedule,
  start: (index: number, scheduledMs: number) => void,
): Promise<Punctuality> {
  const lag = createHistogram({ highest: 3_600_000_000, figures: 3 });
  const total = Math.max(1, Math.round((rate * durationMs) / 1000));
  const stepMs = 1000 / rate;
  const began = performance.now();
  let behindMs = 0;
  let next = 0;
  while (next < total && !signal.aborted) {
    const now = performance.now();
    const due = Math.min(total, Math.floor((now - began) / stepMs) + 1);
    const lateMs = due > next ? now - (began + next * stepMs) : 0;
    if (lateMs > BEHIND_MS) behindMs += lateMs;
    for (; next < due; next += 1) {
      const scheduled = began + next * stepMs;
      lag.record(Math.max(1, Math.round((performance.now() - scheduled) * 1000)));
      start(next, scheduled);
    }
    await pause(Math.max(1, began + next * stepMs - performance.now()), signal);
  }
  const elapsed = Math.max(1, performance.now() - began);
  const ms = (microseconds: number) => microseconds / 1000;
  return {
    lagMs: next === 0 ? NO_LAG : { p50: ms(lag.percentile(50)), p99: ms(lag.percentile(99)), max: ms(lag.max) },
    behind: Math.min(1, behindMs / elapsed),
  };
}

const NO_LAG = { p50: 0, p99: 0, max: 0 };

/** A load that has nothing to be late for: all of it starts at once. */
export const punctual: Punctuality = { lagMs: NO_LAG, behind: 0 };

/** Waits, and returns early when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
