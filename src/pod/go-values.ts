/**
 * Values as Istio's Go programs read them from text.
 */
import { parseDuration, type Seconds } from "../units/duration.ts";

/** Go's strconv.ParseBool; the proxy's agent takes what it cannot read for false. */
export function parseGoBool(text: string): boolean {
  return ["1", "t", "T", "TRUE", "true", "True"].includes(text);
}

/**
 * Go's time.ParseDuration for the values that matter here: a number alone is refused, since it lacks its unit.
 *
 * @returns whole seconds, rounded up; undefined where Go would refuse the text
 */
export function parseGoDuration(text: string): Seconds | undefined {
  if (text === "0") return 0;
  if (/^[0-9]+$/.test(text)) return undefined;
  const parsed = parseDuration(text);
  return parsed.ok ? parsed.seconds : undefined;
}
