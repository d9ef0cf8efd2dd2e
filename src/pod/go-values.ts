/**
 * Values as Istio's Go programs read them from text.
 */
import type { Seconds } from "../units/duration.ts";

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

const GO_DURATION = /^[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|ms|s|m|h))+$/;

/**
 * Go's time.ParseDuration: a number alone is refused, since it lacks its unit.
 *
 * @returns whole seconds, rounded up, 0 for a negative time; undefined where Go would refuse the text
 */
export function parseGoDuration(text: string): Seconds | undefined {
  if (text === "0") return 0;
  if (!GO_DURATION.test(text)) return undefined;
  let seconds = 0;
  for (const [, number, unit] of text.matchAll(/([0-9.]+)([a-zµ]+)/g)) {
    seconds += Number(number) * (UNIT_SECONDS[unit ?? ""] ?? 0);
  }
  if (seconds >= MAX_SECONDS) return undefined;
  // A sum of fractions may be a hair over the whole number that was meant.
  return text.startsWith("-") ? 0 : Math.max(0, Math.ceil(seconds - 1e-10));
}
