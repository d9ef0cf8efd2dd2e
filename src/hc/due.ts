/**
 * Which event has come about by itself: from the clock, and from what was seen of the proxy. Pure.
 */
import type { Instant, Machine } from "./machine.ts";
import type { EventName } from "./states.ts";
import {
  bufferEndsAt,
  deadlineOf,
  drainEndsAt,
  quietBeforeQuitMs,
  quitBy,
  settledAt,
  type Timing,
  timeIsUpAt,
} from "./timing.ts";
import type { View } from "./view.ts";

/** Everything that the decision depends on. */
export interface Situation {
  readonly machine: Machine;
  readonly view: View;
  readonly timing: Timing;
  /** Whether Envoy retires connections during a drain. */
  readonly retires: boolean;
}

/** Refused connections in a row, and the time that they must span, before a proxy counts as dead. */
const DEAD = { looks: 3, ms: 3000 } as const;

/** The same after CLOSED, when the end of the proxy is expected: one look, and one to confirm it, 250 ms later. */
const GONE = { looks: 2, ms: 200 } as const;

/** The event that is due now; undefined: none. */
export function dueEvent(situation: Situation, now: Instant): EventName | undefined {
  const { machine, view, timing } = situation;
  switch (machine.phase) {
    case "starting":
    case "dead":
      return view.isReady ? "proxy-ready" : undefined;
    case "open":
      if (view.stoppingSince !== undefined) return "proxy-stopping";
      return isRefusing(view, DEAD, now) ? "proxy-dead" : undefined;
    case "draining":
      return whileWaiting(situation, now) ?? (now >= drainEndsAt(machine, timing) ? timeoutOf(situation) : undefined);
    case "overdue":
      return whileWaiting(situation, now) ?? (now >= timeIsUpAt(machine, timing) ? "time-is-up" : undefined);
    case "closing":
      if (isRestarted(situation)) return "proxy-restarted";
      return now >= bufferEndsAt(machine, timing) ? "buffer-passed" : undefined;
    case "closed":
      return isRestarted(situation) ? "proxy-restarted" : undefined;
  }
}

function whileWaiting(situation: Situation, now: Instant): EventName | undefined {
  const { view } = situation;
  if (isRestarted(situation)) return "proxy-restarted";
  if (isRefusing(view, DEAD, now)) return view.lastInFlight === 0 ? "proxy-gone" : "proxy-dead";
  return isQuiet(situation) ? "quiet" : undefined;
}

/** How a drain ends that did not get quiet: an error, a hidden stat and a reading from before are not zero. */
function timeoutOf({ machine, view: { reading } }: Situation): EventName {
  if (reading === undefined || reading.inFlight > 0) return "drain-timeout";
  if (reading.at < (machine.drainSince ?? machine.since)) return "drain-timeout";
  return reading.hidden.length > 0 ? "blind" : "busy";
}

/** Whether the last reading proves that everything has flown out: it was taken after the fixed waits had passed. */
function isQuiet({ machine, view, timing, retires }: Situation): boolean {
  if (view.reading === undefined || view.quietLooks < 2) return false;
  return view.reading.at >= settledAt(machine, view.retiredAt, retires, timing);
}

/** After hc's own SIGTERM a proxy that is ready again changes nothing: the pod is going. */
function isRestarted({ machine, view }: Situation): boolean {
  if (!view.isReady || view.downAt === undefined || machine.terminatingSince !== undefined) return false;
  return machine.drainSince !== undefined && view.downAt >= machine.drainSince;
}

function isRefusing({ refusals }: View, enough: { looks: number; ms: number }, now: Instant): boolean {
  return refusals.count >= enough.looks && now - refusals.since >= enough.ms;
}

/** Whether the proxy has to be ended now: its own exit may wait for idle connections for ever. */
export function mustQuit({ machine, view, timing }: Situation, now: Instant): boolean {
  if (machine.phase !== "closed") return false;
  if (now >= quitBy(machine, timing)) return true;
  if (view.stoppingSince === undefined || view.reading === undefined) return false;
  const { inFlight, hidden } = view.reading;
  if (inFlight > 0 || hidden.length > 0) return false;
  return now - Math.max(view.stoppingSince, view.lastRequestAt ?? 0) >= quietBeforeQuitMs(timing);
}

/** Whether hc itself is done: the proxy is gone after CLOSED, or the deadline has come. */
export function mustExit({ machine, view, timing }: Situation, now: Instant): boolean {
  const deadline = deadlineOf(machine, timing);
  if (deadline === undefined) return false;
  if (now >= deadline) return true;
  // Counted from CLOSED, although the proxy may be long gone: the kubelet's hook comes up to 50 ms after the SIGTERM.
  return machine.phase === "closed" && isRefusing(view, GONE, now) && now - machine.since >= GONE.ms;
}

/** When to decide again if nothing happens before; Infinity: not by the clock. */
export function nextDecisionAt({ machine, timing }: Situation, now: Instant): Instant {
  const instants = [quitBy(machine, timing), deadlineOf(machine, timing) ?? Infinity];
  if (machine.phase === "draining") instants.push(drainEndsAt(machine, timing));
  if (machine.phase === "overdue") instants.push(timeIsUpAt(machine, timing));
  if (machine.phase === "closing") instants.push(bufferEndsAt(machine, timing));
  return Math.min(...instants.filter((instant) => instant > now));
}
