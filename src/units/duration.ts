/**
 * Durations as people write them in policies, annotations and environment variables.
 *
 * Accepted: a whole number of seconds (`40`, `"40"`) and Go's syntax with the units ms, s, m and h (`40s`, `1m30s`,
 * `500ms`, `1.5h`), which is what Istio and Kubernetes read. A rounding is always up, so that it never takes time away from
 * a request.
 */
import { type Milliseconds, ms } from "./milliseconds.ts";

/** A span of time in whole seconds. */
export type Seconds = number;

/** A duration that was read, or the reason why it is none. */
export type ParsedDuration = { ok: true; seconds: Seconds } | Refused;

/** A duration that was read to the millisecond, or the reason why it is none. */
export type ParsedMilliseconds = { ok: true; milliseconds: Milliseconds } | Refused;

/** Why something is no duration. */
interface Refused {
  readonly ok: false;
  readonly reason: string;
}

/** Nanoseconds of each unit. A day of them is 8.64e13, which a number holds exactly. */
const UNIT_NS: Readonly<Record<string, number>> = { ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 };

const NS_PER_MS = 1e6;
const NS_PER_SECOND = 1e9;

/** Longest duration that is taken for one: 24 hours; more is a typing error in everything that this program sets. */
export const MAX_DURATION: Seconds = 86_400;

/** Longest text that is taken for a duration, characters; what a person means fits into far fewer. */
export const LONGEST_DURATION = 64;

/** What a duration may look like, for schemas: no sign, at least one number, known units only. */
export const DURATION_PATTERN = "^([0-9]+|([0-9]+(\\.[0-9]+)?(ms|s|m|h))+)$";

const WHOLE = /^[0-9]+$/;
const PART = /([0-9]+)(?:\.([0-9]+))?([a-zµ]*)/gy;

/** Digits of a fraction that fit a 64-bit integer; Go drops the others. */
const FRACTION_DIGITS = 18;

/**
 * Reads a duration.
 *
 * @param value a number of seconds or a text; anything else is refused
 * @returns whole seconds, rounded up, or a reason that completes the sentence "… is not a duration: …"
 */
export function parseDuration(value: unknown): ParsedDuration {
  const parsed = parseNanoseconds(value);
  return typeof parsed === "number" ? { ok: true, seconds: Math.ceil(parsed / NS_PER_SECOND) } : parsed;
}

/**
 * Reads a duration to the millisecond, for what counts in fractions of a second.
 *
 * @param value as for parseDuration
 */
export function parseMilliseconds(value: unknown): ParsedMilliseconds {
  const parsed = parseNanoseconds(value);
  return typeof parsed === "number" ? { ok: true, milliseconds: ms(parsed / NS_PER_MS) } : parsed;
}

/**
 * Reads a duration as Go does, which reads it for the API server's rules: whole nanoseconds in each part, and what is
 * below one is dropped. So both refuse the same texts.
 */
function parseNanoseconds(value: unknown): number | Refused {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return refused("it is not a finite number");
    if (value < 0) return refused("it is negative");
    return inRange(value * NS_PER_SECOND);
  }
  if (typeof value !== "string") return refused("it is neither a text nor a number");
  const text = value.trim();
  if (text === "") return refused("it is empty");
  if (text.startsWith("-")) return refused("it is negative");
  if (WHOLE.test(text)) return inRange(Number(text) * NS_PER_SECOND);
  if (text.length > LONGEST_DURATION) return refused(`it is longer than ${LONGEST_DURATION} characters`);

  let nanoseconds = 0;
  let end = 0;
  PART.lastIndex = 0;
  for (let part = PART.exec(text); part !== null; part = PART.exec(text)) {
    const [, whole, fraction = "", unit = ""] = part;
    const unitNs = Object.hasOwn(UNIT_NS, unit) ? UNIT_NS[unit] : undefined;
    if (unitNs === undefined) {
      return refused(unit === "" ? "a number lacks its unit" : `the unit ${JSON.stringify(unit)} is unknown`);
    }
    nanoseconds += Number(whole) * unitNs + fractionOf(fraction, unitNs);
    end = PART.lastIndex;
  }
  if (end !== text.length) return refused("it is not a number with the units ms, s, m or h");
  return inRange(nanoseconds);
}

/** Nanoseconds of the digits behind a point. */
function fractionOf(digits: string, unitNs: number): number {
  const kept = digits.slice(0, FRACTION_DIGITS);
  return Math.trunc(Number(kept) * (unitNs / 10 ** kept.length));
}

function inRange(nanoseconds: number): number | Refused {
  return nanoseconds <= MAX_DURATION * NS_PER_SECOND ? nanoseconds : refused("it is longer than 24h");
}

function refused(reason: string): Refused {
  return { ok: false, reason };
}
