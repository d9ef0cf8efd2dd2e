/**
 * Values as Istio's Go programs read them from text.
 */
import { LONGEST_DURATION } from "../units/duration.ts";
import { type Milliseconds, seconds as ofSeconds } from "../units/milliseconds.ts";

/** Go's strconv.ParseBool; the proxy's agent takes what it cannot read for false. */
export function parseGoBool(text: string): boolean {
  return ["1", "t", "T", "TRUE", "true", "True"].includes(text);
}

/** Whether strconv.ParseBool can read a text at all. */
export function isGoBool(text: string): boolean {
  return parseGoBool(text) || ["0", "f", "F", "FALSE", "false", "False"].includes(text);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** Go counts nanoseconds in 63 bits. */
const MAX_SECONDS = 2 ** 63 / 1e9;

/** A number and its unit, which begin where the last pair ended. */
const PART = /([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)/y;

/**
 * Go's time.ParseDuration: a number alone is refused, since it lacks its unit. Longer texts than a duration may have are
 * refused as well.
 *
 * @returns whole milliseconds, rounded up, 0 for a negative time; undefined where Go would refuse the text
 */
export function parseGoDuration(text: string): Milliseconds | undefined {
  if (text === "0") return ofSeconds(0);
  if (text.length > LONGEST_DURATION) return undefined;
  const sign = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  let seconds = 0;
  let end = sign;
  while (end < text.length) {
    PART.lastIndex = end;
    const [, number, unit] = PART.exec(text) ?? [];
    if (number === undefined || unit === undefined) return undefined;
    seconds += Number(number) * (UNIT_SECONDS[unit] ?? 0);
    end = PART.lastIndex;
  }
  if (end === sign || seconds >= MAX_SECONDS) return undefined;
  return ofSeconds(text.startsWith("-") ? 0 : seconds);
}
