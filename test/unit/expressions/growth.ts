/**
 * Whether an expression takes more than linear time on some text: it is run on growing ones.
 */
import { type HostileText, hostileTexts } from "./hostile-texts.ts";

/**
 * How often the repeated part stands in the texts with which slow expressions are looked for. Few times first: an
 * exponential one would not end on many.
 */
const TIMES = [12, 20, 28, 48, 100, 4000];

/** A run that takes longer is looked at; most take a hundredth. A busy machine makes more work here, and no difference. */
const SUSPICIOUS_MS = 1;

/** Twice the text may take this much longer: linear is 2, quadratic 4. */
const MOST_GROWTH = 3;

/** Runs of which the quickest counts. */
const REPEATS = 5;

/** A hostile text on which an expression takes more than linear time; undefined where none was found. */
export function superLinear(source: string, flags: string): HostileText | undefined {
  const expression = new RegExp(source, flags);
  for (const text of hostileTexts(source, flags)) {
    const suspicious = TIMES.find((times) => time(expression, of(text, times)) > SUSPICIOUS_MS);
    if (suspicious !== undefined && grows(expression, text, suspicious)) return text;
  }
  return undefined;
}

/** Growth over two halvings, each of them too much. */
function grows(expression: RegExp, text: HostileText, times: number): boolean {
  const best = (share: number) =>
    Math.min(...Array.from({ length: REPEATS }, () => time(expression, of(text, Math.ceil(times / share)))));
  const [whole, half, quarter] = [best(1), best(2), best(4)];
  return whole > SUSPICIOUS_MS && whole > MOST_GROWTH * half && half > MOST_GROWTH * quarter;
}

function of({ prefix, pump, tail }: HostileText, times: number): string {
  return prefix + pump.repeat(times) + tail;
}

/** Milliseconds of the use that the flags are for. */
function time(expression: RegExp, text: string): number {
  expression.lastIndex = 0;
  const started = performance.now();
  if (expression.global) text.replace(expression, "");
  else expression.test(text);
  return performance.now() - started;
}
