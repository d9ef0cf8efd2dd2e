/**
 * Axes that a person can read: ticks at 1, 2 or 5 times a power of ten.
 */

/** An axis from 0. */
export interface Scale {
  /** The value at its end, more than 0. */
  readonly top: number;
  /** Values to label, from 0 to the top. */
  readonly ticks: readonly number[];
}

/**
 * Makes an axis.
 *
 * @param highest the largest value to show
 * @param isWhole whether only whole numbers make sense
 * @param most how many steps there may be
 */
export function niceScale(highest: number, isWhole: boolean, most = 4): Scale {
  const least = isWhole ? 1 : 0.001;
  const rough = Math.max(highest, least) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough * (1 - 1e-9)) ?? rough;
  const step = isWhole ? Math.max(1, nice) : nice;
  const steps = Math.max(1, Math.ceil(highest / step - 1e-9));
  // Rounded, since 3 × 0.1 is not 0.3.
  const ticks = Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)));
  return { top: ticks.at(-1) ?? step, ticks };
}
