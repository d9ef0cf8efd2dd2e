/**
 * Round numbers for an axis of seconds.
 */
import type { Seconds } from "../../units/duration.ts";

const STEPS: readonly Seconds[] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400];

/** Ticks from 0 to a length, about as many as wanted at most. */
export function ticksFor(length: Seconds, most: number): readonly Seconds[] {
  const step = STEPS.find((one) => length / one <= most) ?? 86_400;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
}
