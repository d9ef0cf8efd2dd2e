/**
 * Fits a budget under a limit: the drain timeout shrinks first, then the margin.
 */
import type { Seconds } from "../units/duration.ts";

/** Which drain timeout and margin are wanted, and how small each may become. */
export interface Shrinkable {
  readonly drainTimeout: Seconds;
  readonly leastDrainTimeout: Seconds;
  readonly margin: Seconds;
  readonly leastMargin: Seconds;
}

/** What is left. */
export interface Shrunk {
  readonly drainTimeout: Seconds;
  readonly margin: Seconds;
}

/**
 * Finds the longest drain timeout, and if that is not enough the largest margin, with which the budget fits.
 *
 * @param needs the grace period that a drain timeout and a margin need; never falls when either grows
 * @returns the least values where nothing fits
 */
export function shrinkToFit(
  wanted: Shrinkable,
  limit: Seconds,
  needs: (drainTimeout: Seconds, margin: Seconds) => Seconds,
): Shrunk {
  const drainTimeout = longest(
    Math.min(wanted.leastDrainTimeout, wanted.drainTimeout),
    wanted.drainTimeout,
    (seconds) => needs(seconds, wanted.margin) <= limit,
  );
  const margin = longest(
    Math.min(wanted.leastMargin, wanted.margin),
    wanted.margin,
    (seconds) => needs(drainTimeout, seconds) <= limit,
  );
  return { drainTimeout, margin };
}

/** The largest whole number in a range for which a claim holds, or the least of the range. */
function longest(least: Seconds, most: Seconds, holds: (seconds: Seconds) => boolean): Seconds {
  if (holds(most)) return most;
  let low = least;
  let high = most;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
