/**
 * How often hc looks, by phase. Pure.
 */
import type { Situation } from "./due.ts";
import type { Phase } from "./states.ts";

/** While the proxy starts: a pod should be in the load balancer soon after it can serve. Milliseconds. */
const STARTING_MS = 200;

/** Afterwards: it is cheap, and a proxy that stops before hc's own SIGTERM should be noticed at once. Milliseconds. */
const READINESS_MS = 1000;

/** Between a refusal and the look that confirms it, once the proxy's end is expected. Milliseconds. */
const CONFIRM_MS = 250;

/** How much rarer the stats are looked at while nothing depends on them. */
const RARELY = 5;

/** The pause between two looks at the readiness, milliseconds. */
export function readinessPauseMs({ machine, view, timing }: Situation): number {
  return Math.min(mostReadinessPauseMs(machine.phase, view.refusals.count), timing.pollIntervalMs);
}

function mostReadinessPauseMs(phase: Phase, refusals: number): number {
  if (phase === "starting") return STARTING_MS;
  return phase === "closed" && refusals > 0 ? CONFIRM_MS : READINESS_MS;
}

/** The pause between two polls of the stats, milliseconds; none are polled before the proxy is there. */
export function statsPauseMs({ machine, timing }: Situation): number {
  return machine.phase === "open" ? timing.pollIntervalMs * RARELY : timing.pollIntervalMs;
}
