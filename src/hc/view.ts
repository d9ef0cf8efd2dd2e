/**
 * What hc knows of the proxy, built from one look after the other. Pure.
 *
 * There are two kinds of look, each with its own pace: readiness (Envoy's 15021, the agent's 15020, and whether the
 * admin port refuses) and stats. A slow or silent answer is never death; only a refused connection is.
 */
import type { Instant } from "./machine.ts";

/** How a port answered. */
export type PortAnswer = "yes" | "no" | "refused" | "silent";

/** One look at the proxy's readiness. The agent and the admin port are asked only if the proxy is not ready. */
export interface ReadinessLook {
  /** 15021: `yes` for 200, `no` for any other answer. */
  readonly ready: PortAnswer;
  /** 15020: `yes` if it accepts a connection. */
  readonly agent?: PortAnswer;
  /** Envoy's admin port: `yes` if it accepts a connection. */
  readonly admin?: PortAnswer;
}

/** One look at Envoy's stats. */
export interface Reading {
  /** Active requests, and connections that no HTTP connection manager owns. */
  readonly inFlight: number;
  /** Requests ever; undefined if it was not asked for, since something is in flight, or is hidden. */
  readonly requests: number | undefined;
  /** Suffixes of stats that the proxy's stats matcher hides: what is in flight cannot be known then. */
  readonly hidden: readonly string[];
  /** The stats above 0, the biggest first: what a drain waits for. */
  readonly waitingOn: readonly { readonly stat: string; readonly value: number }[];
  /** Active requests towards services of the mesh, for people. */
  readonly upstream: number;
}

/** Everything that is known. */
export interface View {
  readonly isReady: boolean;
  /** Since when the agent has been stopping. */
  readonly stoppingSince: Instant | undefined;
  /** Whether the proxy stopped, or was gone, since it was last ready. */
  readonly isDown: boolean;
  /** When it was last seen like that: a proxy that is ready and was down after a drain began is a fresh one. */
  readonly downAt: Instant | undefined;
  /** Looks in a row in which the admin port refused, and the first of them. */
  readonly refusals: { readonly count: number; readonly since: Instant };
  /** The last reading; undefined after a look that failed: an error is not zero. */
  readonly reading: (Reading & { readonly at: Instant }) | undefined;
  /** Looks in a row with nothing in flight and no new request. One alone proves nothing. */
  readonly quietLooks: number;
  /** When something was last in flight, or new, as far as stats tell. */
  readonly lastRequestAt: Instant | undefined;
  /** In-flight as it was last known, also after failures. */
  readonly lastInFlight: number | undefined;
  /** When Envoy was told to retire connections. */
  readonly retiredAt: Instant | undefined;
}

/** Nothing was seen yet. */
export const nothingSeen: View = {
  isReady: false,
  stoppingSince: undefined,
  isDown: false,
  downAt: undefined,
  refusals: { count: 0, since: 0 },
  reading: undefined,
  quietLooks: 0,
  lastRequestAt: undefined,
  lastInFlight: undefined,
  retiredAt: undefined,
};

/** What is in flight, for people and metrics; undefined where the stats are hidden or silent: absent is not zero. */
export function knownInFlight({ reading }: View): number | undefined {
  return reading === undefined || reading.hidden.length > 0 ? undefined : reading.inFlight;
}

/** Adds a look at the readiness. */
export function seenReadiness(view: View, look: ReadinessLook, now: Instant): View {
  if (look.ready === "yes") {
    const back = { isReady: true, isDown: false, stoppingSince: undefined };
    const fresh = view.isDown ? { retiredAt: undefined, quietLooks: 0, reading: undefined } : {};
    return { ...view, ...back, ...fresh, refusals: { count: 0, since: now } };
  }
  const refused = look.admin === "refused";
  // Both turn within a millisecond of the agent's SIGTERM; 15021 alone may be an agent that is not ready.
  const isDown = (look.ready === "no" || look.ready === "refused") && look.agent === "refused";
  return {
    ...view,
    isReady: false,
    isDown: view.isDown || isDown,
    downAt: isDown ? now : view.downAt,
    stoppingSince: view.stoppingSince ?? (isDown && !refused ? now : undefined),
    refusals: refused
      ? { count: view.refusals.count + 1, since: view.refusals.count === 0 ? now : view.refusals.since }
      : { count: 0, since: now },
  };
}

/**
 * Adds a look at the stats.
 *
 * @param reading undefined for a look that failed
 * @param now when the look began
 */
export function seenStats(view: View, reading: Reading | undefined, now: Instant): View {
  if (reading === undefined) return { ...view, reading: undefined, quietLooks: 0 };
  const { inFlight, requests, hidden } = reading;
  const isIdle = inFlight === 0 && requests !== undefined && hidden.length === 0;
  const isQuiet = isIdle && view.reading?.requests === requests;
  return {
    ...view,
    reading: { ...reading, at: now },
    // The first idle look opens the window, the next one with the same counter closes it.
    quietLooks: isQuiet ? view.quietLooks + 1 : isIdle ? 1 : 0,
    lastRequestAt: isQuiet ? view.lastRequestAt : now,
    lastInFlight: inFlight,
  };
}
