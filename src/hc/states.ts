/**
 * The words of the state machine: states that people see, phases that the program tells apart, and events.
 *
 * Two states have two faces each: CLOSED before the proxy was ever ready and CLOSED after a drain, FAULT because the
 * drain timed out and FAULT because the proxy died. Each face is a phase of its own, so that the table of transitions
 * needs no hidden flags.
 */

/** A state as logs, metrics and `/status` name it. */
export type State = "CLOSED" | "OPEN" | "DRAINING" | "CLOSING" | "FAULT";

/** What the machine tells apart, and the state that each phase shows. */
export const phases = {
  /** The proxy was not ready yet. */
  starting: "CLOSED",
  /** Traffic is welcome. */
  open: "OPEN",
  /** What is in flight finishes; the load balancer sees the drain answer. */
  draining: "DRAINING",
  /** The drain timed out with work left: the drain answer is kept as long as the grace period allows. */
  overdue: "FAULT",
  /** The proxy died while it should have served. */
  dead: "FAULT",
  /** Nothing is in flight; the load balancer gets the time to see the close answer. */
  closing: "CLOSING",
  /** After a drain: the proxy may stop. */
  closed: "CLOSED",
} as const satisfies Record<string, State>;

/** One phase. */
export type Phase = keyof typeof phases;

/** Every phase. */
export const PHASES = Object.keys(phases) as readonly Phase[];

/** Every state, in the order of a pod's life. */
export const STATES: readonly State[] = ["CLOSED", "OPEN", "DRAINING", "CLOSING", "FAULT"];

/** The causes of FAULT, and the phase that each is. */
export const FAULT_PHASES = { "drain-timeout": "overdue", "proxy-dead": "dead" } as const satisfies Record<
  string,
  Phase
>;

/** Why hc is in FAULT. */
export type Fault = keyof typeof FAULT_PHASES;

/** Every cause. */
export const FAULTS = Object.keys(FAULT_PHASES) as readonly Fault[];

/** What can happen. The names are the `cause=` of the transition that follows. */
export const EVENTS = [
  /** The proxy answers its readiness check for the first time, or again after its death. */
  "proxy-ready",
  /** The proxy had stopped and a fresh one is ready, while hc itself got no SIGTERM: its container was restarted. */
  "proxy-restarted",
  /** The proxy's agent was told to stop. It may come before hc's own SIGTERM. */
  "proxy-stopping",
  /** Envoy's admin port refused connections on three looks over at least three seconds. */
  "proxy-dead",
  /** The same during a drain, with nothing seen in flight before: the proxy has drained and ended by itself. */
  "proxy-gone",
  /** hc was told to stop. */
  "sigterm",
  /** An operator, or a hook, asked for a drain. */
  "drain",
  /** An operator asked for the close answer at once. */
  "close-lb",
  /** An operator asked for CLOSED at once. */
  "close",
  /** An operator takes a drain back. */
  "reopen",
  /** Nothing in flight, nothing new, and everybody had the time to notice. */
  "quiet",
  /** The drain timeout passed with nothing in flight, but requests keep trickling in. */
  "busy",
  /** The drain timeout passed, and the stats that would tell what is in flight are hidden. */
  "blind",
  /** The drain timeout passed with work left, or Envoy did not say. */
  "drain-timeout",
  /** The grace period leaves just the time to close properly. */
  "time-is-up",
  /** The load balancer had its time to see the close answer. */
  "buffer-passed",
] as const;

/** One event. */
export type EventName = (typeof EVENTS)[number];

/** How a drain ended, as the counter of drains names it. */
export const DRAIN_RESULTS = ["drained", "busy", "blind", "timeout", "closed", "reopened"] as const;

/** One result. */
export type DrainResult = (typeof DRAIN_RESULTS)[number];
