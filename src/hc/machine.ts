/**
 * The state machine at work: a phase, since when, and what a pod's end depends on. Pure; times are milliseconds of a
 * monotonic clock, so a jump of the wall clock changes nothing.
 */
import { type DrainResult, type EventName, type Phase, phases } from "./states.ts";
import { type Action, table } from "./transitions.ts";

/** Milliseconds of a monotonic clock. */
export type Instant = number;

/** Where the machine stands. */
export interface Machine {
  readonly phase: Phase;
  readonly since: Instant;
  /** Why this phase was entered; undefined at the start. */
  readonly cause: EventName | undefined;
  /** When hc got its SIGTERM: from then on there is a deadline and no way back. A second SIGTERM changes nothing. */
  readonly terminatingSince: Instant | undefined;
  /** When OPEN ended, until it is OPEN again. */
  readonly drainSince: Instant | undefined;
}

/** A change of phase. */
export interface Transition {
  readonly from: Phase;
  readonly to: Phase;
  readonly cause: EventName;
  readonly at: Instant;
  /** Milliseconds that the phase before lasted. */
  readonly elapsedMs: number;
  readonly actions: readonly Action[];
  readonly result: DrainResult | undefined;
}

/** What an event did. */
export type Step =
  | { readonly kind: "moved"; readonly machine: Machine; readonly transition: Transition }
  | { readonly kind: "stayed"; readonly machine: Machine }
  | { readonly kind: "refused"; readonly machine: Machine; readonly reason: string };

/** The machine of a process that has just started. */
export function machineAt(now: Instant): Machine {
  return { phase: "starting", since: now, cause: undefined, terminatingSince: undefined, drainSince: undefined };
}

/**
 * Applies an event.
 *
 * @param proxyIsStopping whether the proxy was told to stop, which an operator cannot take back
 */
export function step(machine: Machine, event: EventName, now: Instant, proxyIsStopping: boolean): Step {
  const terminatingSince = machine.terminatingSince ?? (event === "sigterm" ? now : undefined);
  const told: Machine = { ...machine, terminatingSince };
  const cell = table[machine.phase][event];
  if (cell === undefined) return { kind: "stayed", machine: told };
  if ("refused" in cell) return { kind: "refused", machine: told, reason: cell.refused };
  if (cell.notWhenStopping !== undefined && (terminatingSince !== undefined || proxyIsStopping)) {
    return { kind: "refused", machine: told, reason: cell.notWhenStopping };
  }
  const drainSince = cell.to === "open" || cell.to === "dead" ? undefined : (machine.drainSince ?? now);
  return {
    kind: "moved",
    machine: { phase: cell.to, since: now, cause: event, terminatingSince, drainSince },
    transition: {
      from: machine.phase,
      to: cell.to,
      cause: event,
      at: now,
      elapsedMs: now - machine.since,
      actions: cell.actions,
      result: cell.result,
    },
  };
}

/** Whether a drain is under way or over: the kubelet's `/drained` request is held, or answered with 200. */
export function isDraining(machine: Machine): boolean {
  return machine.drainSince !== undefined;
}

/** Whether the pod is ready: traffic is welcome, or what there is still flows. */
export function isReady(phase: Phase): boolean {
  return phases[phase] !== "CLOSED" && phase !== "dead";
}
