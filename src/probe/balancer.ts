/**
 * What a watch says about the balancer: it flushes sessions on DOWN, drains, or keeps them.
 *
 * The three differ in what a gateway's drain must do. Flushed: nothing may be in flight when the backend goes DOWN.
 * Drained: new work goes elsewhere, the old may finish. Kept (mode tcp): kept connections stay on the backend for ever,
 * until the gateway itself sends `Connection: close`.
 */
import { describe } from "./client.ts";
import type { Visit } from "./watch.ts";

/** What the balancer was seen to do. */
export interface BalancerVerdict {
  readonly verdict: "flushes" | "drains" | "keeps" | "unknown";
  /** One or two sentences with the numbers behind it. */
  readonly because: string;
}

/** New connections that must have gone elsewhere before a backend counts as out of the rotation, per backend. */
const ROUNDS = 3;

/** A kept connection may have a request under way when the backend leaves; only later ones count, in milliseconds. */
const GRACE_MS = 500;

/**
 * Judges a balancer.
 *
 * @param visits every request of the watch
 * @param triggerMs when the backend was disabled, milliseconds since the run began
 */
export function judgeBalancer(visits: readonly Visit[], triggerMs: number): BalancerVerdict {
  const inFlight = visits.filter(({ role, endedMs }) => role === "long" && endedMs > triggerMs);
  const cut = visits
    .filter(({ role, outcome, endedMs }) => role !== "new" && outcome.kind !== "ok" && endedMs > triggerMs)
    .sort((a, b) => a.endedMs - b.endedMs);
  const [first] = cut;
  if (first !== undefined) {
    const long = cut.filter(({ role }) => role === "long").length;
    return {
      verdict: "flushes",
      because:
        `${long} of ${inFlight.length} long requests and ${cut.length - long} requests on kept connections were cut, ` +
        `the first ${seconds(first.endedMs - triggerMs)} after the trigger (${describe(first.outcome)}).`,
    };
  }
  if (inFlight.length === 0) {
    return { verdict: "unknown", because: "No long request was in flight at the trigger; give a longer --seconds." };
  }

  const arrivals = visits.filter(({ role }) => role === "new").sort((a, b) => a.endedMs - b.endedMs);
  const backends = new Set(arrivals.flatMap(({ outcome }) => outcome.backend ?? []));
  if (backends.size === 0) {
    return {
      verdict: "unknown",
      because:
        `None of ${inFlight.length} long requests was cut, so it does not flush; whether it drains or keeps needs an ` +
        "answer header that names the backend (--backend-header).",
    };
  }
  const [gone] = [...backends].flatMap((backend) => {
    const last = arrivals.findLastIndex(({ outcome }) => outcome.backend === backend);
    const leftMs = arrivals[last]?.endedMs ?? 0;
    return arrivals.length - 1 - last >= ROUNDS * backends.size ? [{ backend, leftMs }] : [];
  });
  if (gone === undefined) {
    return {
      verdict: "unknown",
      because: `New connections still reached every backend (${[...backends].sort().join(", ")}): none was disabled while we watched.`,
    };
  }
  const after = visits.filter(({ role, startedMs }) => role === "kept" && startedMs > gone.leftMs + GRACE_MS);
  const stayed = after.filter(({ outcome }) => outcome.backend === gone.backend).length;
  const leaving = `New connections left ${gone.backend} ${seconds(gone.leftMs - triggerMs)} after the trigger`;
  return stayed > 0
    ? {
        verdict: "keeps",
        because: `${leaving}, but ${stayed} of ${after.length} later requests on kept connections still went there. Nothing was cut.`,
      }
    : {
        verdict: "drains",
        because: `${leaving}, so did kept connections (0 of ${after.length} later requests), and all ${inFlight.length} long requests ended well.`,
      };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
