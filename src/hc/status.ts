/**
 * The JSON of `GET /status`: everything that an operator asks in the middle of a night, in seconds. Pure.
 */
import type { Notice } from "../codes/registry.ts";
import { version } from "../version.ts";
import type { Situation } from "./due.ts";
import { type Entry, seconds } from "./history.ts";
import type { Instant } from "./machine.ts";
import { type DrainResult, phases, type State } from "./states.ts";
import { deadlineOf, drainEndsAt } from "./timing.ts";
import { knownInFlight } from "./view.ts";

/** What the loop knows besides the situation. */
export interface StatusDetails {
  readonly result: DrainResult | undefined;
  readonly history: readonly Entry[];
  readonly findings: readonly Notice[];
  readonly retired: boolean;
  readonly heldRequests: number;
  readonly secondsSinceAsked: number | undefined;
  readonly profile: string;
  readonly unexpectedErrors: number;
}

/** What `/status` answers. What is not known is left out. */
export interface Status {
  readonly version: string;
  readonly state: State;
  /** Why this state was entered; for FAULT its cause, `drain-timeout` or `proxy-dead`. */
  readonly cause: string | undefined;
  /** How long it has lasted. */
  readonly seconds: number;
  readonly terminating: boolean;
  readonly deadlineInSeconds: number | undefined;
  readonly drainTimeoutInSeconds: number | undefined;
  /** How DRAINING ended, until the gateway is OPEN again. */
  readonly result: DrainResult | undefined;
  /** Undefined while Envoy does not tell. */
  readonly inFlight: number | undefined;
  readonly waitingOn: readonly { readonly stat: string; readonly value: number }[];
  readonly upstreamRequests: number | undefined;
  readonly hiddenStats: readonly string[];
  readonly proxy: { readonly ready: boolean; readonly stopping: boolean };
  readonly connectionsRetired: boolean;
  readonly heldRequests: number;
  readonly lb: { readonly profile: string; readonly askedSecondsAgo: number | undefined };
  readonly unexpectedErrors: number;
  readonly findings: readonly Notice[];
  readonly history: readonly Entry[];
}

/** Builds it. */
export function statusOf({ machine, view, timing }: Situation, now: Instant, details: StatusDetails): Status {
  const deadline = deadlineOf(machine, timing);
  const left = (at: Instant) => Math.max(0, seconds(at - now));
  return {
    version,
    state: phases[machine.phase],
    cause: machine.cause,
    seconds: seconds(now - machine.since),
    terminating: machine.terminatingSince !== undefined,
    deadlineInSeconds: deadline === undefined ? undefined : left(deadline),
    drainTimeoutInSeconds: machine.phase === "draining" ? left(drainEndsAt(machine, timing)) : undefined,
    result: details.result,
    inFlight: knownInFlight(view),
    waitingOn: view.reading?.waitingOn ?? [],
    upstreamRequests: view.reading?.upstream,
    hiddenStats: view.reading?.hidden ?? [],
    proxy: { ready: view.isReady, stopping: view.stoppingSince !== undefined },
    connectionsRetired: details.retired,
    heldRequests: details.heldRequests,
    lb: { profile: details.profile, askedSecondsAgo: details.secondsSinceAsked },
    unexpectedErrors: details.unexpectedErrors,
    findings: details.findings.map(({ code, severity, text }) => ({ code, severity, text })),
    history: details.history,
  };
}
