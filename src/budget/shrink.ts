/**
 * Fits a budget under a limit: the drain timeout shrinks first, then the margin.
 */
import { type Milliseconds, ms } from "../units/milliseconds.ts";

/** Which drain timeout and margin are wanted, and how small each may become. */
export interface Shrinkable {
  readonly drainTimeout: Milliseconds;
  readonly leastDrainTimeout: Milliseconds;
  readonly margin: Milliseconds;
  readonly leastMargin: Milliseconds;
}

/** What is left. */
export interface Shrunk {
  readonly drainTimeout: Milliseconds;
  readonly margin: Milliseconds;
}

/**
 * Finds the longest drain timeout, and if that is not enough the largest margin, with which the budget fits.
 *
 * @param needs the grace period that a drain timeout and a margin need; never falls when either grows
 * @returns the least values where nothing fits
 */
export function shrinkToFit(
  wanted: Shrinkable,
  limit: Milliseconds,
  needs: (drainTimeout: Milliseconds, margin: Milliseconds) => Milliseconds,
): Shrunk {
  const drainTimeout = longest(
    ms(Math.min(wanted.leastDrainTimeout, wanted.drainTimeout)),
    wanted.drainTimeout,
    (span) => needs(span, wanted.margin) <= limit,
  );
  const margin = longest(
    ms(Math.min(wanted.leastMargin, wanted.margin)),
    wanted.margin,
    (span) => needs(drainTimeout, span) <= limit,
  );
  return { drainTimeout, margin };
}

/** The longest span in a range for which a claim holds, or the least of the range. */
function longest(least: Milliseconds, most: Milliseconds, holds: (span: Milliseconds) => boolean): Milliseconds {
  if (holds(most)) return most;
  let low = least;
  let high = most;
  while (high - low > 1) {
    const middle = ms(Math.floor((low + high) / 2));
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
