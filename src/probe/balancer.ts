/**
 * What a watch says about the balancer: it flushes sessions on DOWN, drains, or keeps them.
 *
 * The three differ in what a gateway's drain must do. Flushed: nothing may be in flight when the backend goes DOWN.
 * Drained: new work goes elsewhere, the old may finish. Kept (mode tcp): kept connections stay on the backend for ever,
 * until the gateway itself sends `Connection: close`.
 */
import { describe } from "./client.ts";
import { isConnectionError } from "./outcome.ts";
import type { Visit } from "./watch.ts";

/** What the balancer was seen to do. */
export interface BalancerVerdict {
  readonly verdict: "flushes" | "drains" | "keeps" | "unknown";
  /** One or two sentences with the numbers behind it. */
  readonly because: string;
}

/** New connections that must have gone elsewhere before a backend counts as out of the rotation, per backend. */
const ROUNDS = 3;

/**
 * Judges a balancer.
 *
 * @param visits every request of the watch
 * @param triggerMs when the backend was disabled, milliseconds since the run began
 * @param longMs how long a long request takes by itself; undefined when that is not known
 */
export function judgeBalancer(
  visits: readonly Visit[],
  triggerMs: number,
  longMs: number | undefined,
): BalancerVerdict {
  const inFlight = visits.filter(({ role, endedMs }) => role === "long" && endedMs > triggerMs).length;
  const cut = visits.filter((visit) => visit.endedMs > triggerMs && isCut(visit)).sort((a, b) => a.endedMs - b.endedMs);
  const [first] = cut;
  if (first !== undefined) {
    const long = cut.filter(({ role }) => role === "long").length;
    return {
      verdict: "flushes",
      because:
        `${long} of ${inFlight} long requests and ${cut.length - long} requests on kept connections were cut, ` +
        `the first ${seconds(first.endedMs - triggerMs)} after the trigger (${describe(first.outcome)}).`,
    };
  }
  if (inFlight === 0) return unknown("No long request was in flight at the trigger; give a longer --seconds.");
  const repeated = longMs === undefined ? [] : visits.filter((visit) => isRepeated(visit, longMs));
  if (repeated.length > 0) {
    const longest = Math.max(...repeated.map(({ startedMs, endedMs }) => endedMs - startedMs));
    return {
      verdict: "flushes",
      because:
        `${repeated.length} of ${inFlight} long requests took up to ${seconds(longest)} instead of ` +
        `${seconds(longMs ?? 0)}: they were cut and the balancer sent them again, which a POST would not survive.`,
    };
  }
  return judgeRotation(visits, triggerMs, inFlight);
}

/**
 * A connection that broke; or a long request that the balancer itself answered: HAProxy in mode http tells the client of a
 * session that it shut down with a 502 of its own, which names no backend. A complete answer of a backend was not cut.
 */
function isCut({ role, outcome }: Visit): boolean {
  if (role === "new") return false;
  return (
    isConnectionError(outcome.kind) || (role === "long" && outcome.kind === "5xx" && outcome.backend === undefined)
  );
}

/** A long request that took a second more than it had to was begun anew somewhere: retries hide a flush behind a 200. */
function isRepeated({ role, startedMs, endedMs }: Visit, longMs: number): boolean {
  return role === "long" && endedMs - startedMs > longMs + 1000;
}

/** Tells draining from keeping, once it is known that nothing was cut. */
function judgeRotation(visits: readonly Visit[], triggerMs: number, inFlight: number): BalancerVerdict {
  const arrivals = visits.filter(({ role }) => role === "new").sort((a, b) => a.endedMs - b.endedMs);
  const backends = [...new Set(arrivals.flatMap(({ outcome }) => outcome.backend ?? []))].sort();
  if (backends.length === 0) {
    return unknown(
      `None of ${inFlight} long requests was cut, so it does not flush; whether it drains or keeps needs an answer ` +
        "header that names the backend (--backend-header).",
    );
  }
  const lastArrivals = backends.map((backend) => arrivals.findLastIndex(({ outcome }) => outcome.backend === backend));
  const gone = lastArrivals.findIndex((last) => arrivals.length - 1 - last >= ROUNDS * backends.length);
  if (gone === -1) {
    return unknown(
      `New connections still reached every backend (${backends.join(", ")}): none was disabled in this time.`,
    );
  }
  // A backend leaves after the trigger, even if no new connection happened to reach it in between.
  const leftMs = Math.max(triggerMs, arrivals[lastArrivals[gone] ?? 0]?.endedMs ?? 0);
  // New connections sample the moment of leaving coarsely, so only the later half of what follows is looked at.
  const endMs = Math.max(...visits.map(({ startedMs }) => startedMs));
  const later = visits.filter(({ role, startedMs }) => role === "kept" && startedMs > (leftMs + endMs) / 2);
  const stayed = later.filter(({ outcome }) => outcome.backend === backends[gone]).length;
  const leaving = `New connections left ${backends[gone]} ${seconds(leftMs - triggerMs)} after the trigger`;
  return stayed > 0
    ? {
        verdict: "keeps",
        because: `${leaving}, but ${stayed} of ${later.length} later requests on kept connections still went there. Nothing was cut.`,
      }
    : {
        verdict: "drains",
        because: `${leaving}, so did kept connections (0 of ${later.length} later requests went there), and none of ${inFlight} long requests was cut.`,
      };
}

function unknown(because: string): BalancerVerdict {
  return { verdict: "unknown", because };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
