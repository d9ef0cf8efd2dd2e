/**
 * The times that a drain must keep, all in milliseconds, and the instants that follow from them.
 *
 * Everything after a SIGTERM is counted back from the deadline, so that a budget that does not fit shortens the drain
 * and never the end: the kubelet's SIGKILL would cut more than a drain that ends early.
 */
import type { Instant, Machine } from "./machine.ts";

/** What the environment says, in milliseconds. */
export interface Timing {
  readonly drainTimeoutMs: number;
  readonly lbBufferMs: number;
  readonly gracePeriodMs: number;
  /** Until the load balancer acts on the drain answer. */
  readonly detectionMs: number;
  readonly minimumDrainMs: number;
  readonly pollIntervalMs: number;
}

/** The grace period that hc leaves unused: its own exit, the kubelet's bookkeeping. */
const RESERVE_MS = 2000;

/** How long before the deadline the proxy is ended in any case. */
const QUIT_BEFORE_DEADLINE_MS = 3000;

/** How much longer than the minimum drain duration hc waits: the agent's own exit comes one second after it. */
const AFTER_MINIMUM_DRAIN_MS = 2000;

/** HTTP/2 accepts new streams for this long after its first GOAWAY: Envoy's drain_timeout. */
export const RETIREMENT_MS = 5000;

/** When everything is over; undefined before a SIGTERM. */
export function deadlineOf(machine: Machine, timing: Timing): Instant | undefined {
  if (machine.terminatingSince === undefined) return undefined;
  return machine.terminatingSince + Math.max(0, timing.gracePeriodMs - RESERVE_MS);
}

/** When CLOSED must be reached, so that the proxy still has its minimum drain. Infinity before a SIGTERM. */
function closedBy(machine: Machine, timing: Timing): Instant {
  const deadline = deadlineOf(machine, timing);
  return deadline === undefined ? Infinity : deadline - timing.minimumDrainMs - QUIT_BEFORE_DEADLINE_MS;
}

/** When CLOSING must begin at the latest; Infinity before a SIGTERM. */
export function timeIsUpAt(machine: Machine, timing: Timing): Instant {
  return closedBy(machine, timing) - timing.lbBufferMs;
}

/** When DRAINING ends if it never gets quiet. */
export function drainEndsAt(machine: Machine, timing: Timing): Instant {
  return Math.min((machine.drainSince ?? machine.since) + timing.drainTimeoutMs, timeIsUpAt(machine, timing));
}

/** When CLOSING ends. */
export function bufferEndsAt(machine: Machine, timing: Timing): Instant {
  return Math.min(machine.since + timing.lbBufferMs, closedBy(machine, timing));
}

/** When the proxy is ended whatever it does; Infinity before a SIGTERM. */
export function quitBy(machine: Machine, timing: Timing): Instant {
  const deadline = deadlineOf(machine, timing);
  return deadline === undefined ? Infinity : deadline - QUIT_BEFORE_DEADLINE_MS;
}

/** How long a proxy that was told to stop must have been quiet before hc ends it, milliseconds. */
export function quietBeforeQuitMs(timing: Timing): number {
  return timing.minimumDrainMs + AFTER_MINIMUM_DRAIN_MS;
}

/** Until when the load balancer may still send new work after the drain answer began. */
export function settledAt(machine: Machine, retiredAt: Instant | undefined, retires: boolean, timing: Timing): Instant {
  const drainSince = machine.drainSince ?? machine.since;
  const detected = drainSince + timing.detectionMs;
  return retires ? Math.max(detected, (retiredAt ?? drainSince) + RETIREMENT_MS) : detected;
}
