/**
 * Round numbers of seconds for an axis of milliseconds.
 */
const STEPS: readonly number[] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400];

/** Ticks from 0 to a length, about as many as wanted at most. */
export function ticksFor(length: number, most: number): readonly number[] {
  const step = (STEPS.find((one) => length / 1000 / one <= most) ?? 86_400) * 1000;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
}
