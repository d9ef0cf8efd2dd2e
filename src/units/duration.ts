/**
 * Durations as people write them in policies, annotations and environment variables.
 *
 * Accepted: a whole number of seconds (`40`, `"40"`) and Go's syntax with the units ms, s, m and h (`40s`, `1m30s`,
 * `500ms`, `1.5h`), which is what Istio and Kubernetes read. The budget counts whole seconds, rounded up, so that a
 * rounding never takes time away from a request.
 */

/** A span of time in whole seconds. */
export type Seconds = number;

/** A duration that was read, or the reason why it is none. */
export type ParsedDuration = { ok: true; seconds: Seconds } | { ok: false; reason: string };

/** A duration that was read to the millisecond, or the reason why it is none. */
export type ParsedMilliseconds = { ok: true; milliseconds: number } | { ok: false; reason: string };

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Longest duration that is taken for one: 24 hours; more is a typing error in everything that this program sets. */
export const MAX_DURATION: Seconds = 86_400;

/** What a duration may look like, for schemas: no sign, at least one number, known units only. */
export const DURATION_PATTERN = "^([0-9]+|([0-9]+(\\.[0-9]+)?(ms|s|m|h))+)$";

/**
 * A product such as 1.1 × 1000 may be a hair over the whole number that was meant; and Go, which reads durations for the
 * API server, drops what is below a nanosecond in each part.
 */
const HAIR_MS = 5e-5;

const WHOLE = /^[0-9]+$/;
const PART = /([0-9]+(?:\.[0-9]+)?)([a-zµ]*)/gy;

/**
 * Reads a duration.
 *
 * @param value a number of seconds or a text; anything else is refused
 * @returns whole seconds, rounded up, or a reason that completes the sentence "… is not a duration: …"
 */
export function parseDuration(value: unknown): ParsedDuration {
  const parsed = parseMilliseconds(value);
  return parsed.ok ? { ok: true, seconds: Math.max(0, Math.ceil((parsed.milliseconds - HAIR_MS) / 1000)) } : parsed;
}

/**
 * Reads a duration without rounding it, for what counts in fractions of a second.
 *
 * @param value as for parseDuration
 */
export function parseMilliseconds(value: unknown): ParsedMilliseconds {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return refused("it is not a finite number");
    if (value < 0) return refused("it is negative");
    return inRange(value * 1000);
  }
  if (typeof value !== "string") return refused("it is neither a text nor a number");
  const text = value.trim();
  if (text === "") return refused("it is empty");
  if (text.startsWith("-")) return refused("it is negative");
  if (WHOLE.test(text)) return inRange(Number(text) * 1000);

  let milliseconds = 0;
  let end = 0;
  PART.lastIndex = 0;
  for (let part = PART.exec(text); part !== null; part = PART.exec(text)) {
    const unit = part[2] ?? "";
    const unitMs = Object.hasOwn(UNIT_MS, unit) ? UNIT_MS[unit] : undefined;
    if (unitMs === undefined) {
      return refused(unit === "" ? "a number lacks its unit" : `the unit ${JSON.stringify(unit)} is unknown`);
    }
    milliseconds += Number(part[1]) * unitMs;
    end = PART.lastIndex;
  }
  if (end !== text.length) return refused("it is not a number with the units ms, s, m or h");
  return inRange(milliseconds);
}

/** Writes a duration the one way in which this program writes all of them: `90s`. */
export function formatDuration(seconds: Seconds): string {
  return `${seconds}s`;
}

function inRange(milliseconds: number): ParsedMilliseconds {
  return milliseconds <= MAX_DURATION * 1000 + HAIR_MS ? { ok: true, milliseconds } : refused("it is longer than 24h");
}

function refused(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}
