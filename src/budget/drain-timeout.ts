import type { Seconds } from "../units/duration.ts";

/** Requests longer than their 99th percentile get a fifth more time. */
const P99_FACTOR = 1.2;

/**
 * The drain timeout for a 99th percentile of the request duration: 30 s → 36 s.
 *
 * The product of a whole number with 1.2 may be a hair above the exact value, which must not cost a second.
 */
export function drainTimeoutOfP99(requestP99: Seconds): Seconds {
  return Math.max(0, Math.ceil(requestP99 * P99_FACTOR - 1e-9));
}
