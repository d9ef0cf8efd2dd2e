import type { Milliseconds } from "../units/milliseconds.ts";
import { type Formula, rounded, times } from "./formula.ts";

/** Requests longer than their 99th percentile get a fifth more time. */
const P99_FACTOR = 1.2;

/** The drain timeout for a 99th percentile of the request duration, in whole seconds: 30 s → 36 s. */
export function drainTimeoutOfP99(requestP99: Milliseconds): Formula {
  return rounded(times(requestP99, P99_FACTOR));
}
