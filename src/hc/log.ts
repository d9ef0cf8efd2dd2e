/**
 * hc's log: one line an event on stdout, `key=value` by default. In JSON the same words are repeated in `msg`, so that
 * `grep event=transition` finds the same lines in both.
 *
 * Own and small, since hc must start at once and stay light. A reader that goes away (EPIPE) must not end hc.
 */

import { LOG_LEVELS, type LogLevel } from "../codes/log-level.ts";

/** How lines are written. */
export const LOG_FORMATS = ["text", "json"] as const;

/** One of the formats. */
export type LogFormat = (typeof LOG_FORMATS)[number];

/** What a line can hold; undefined is left out. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes lines. */
export type Log = (level: LogLevel, event: string, fields?: Fields) => void;

/**
 * Starts a log.
 *
 * @param write gets whole lines
 * @param clock the time of a line, for people; nothing depends on it
 */
export function startLog(
  level: LogLevel,
  format: LogFormat,
  write: (line: string) => void,
  clock: () => Date = () => new Date(),
): Log {
  const least = LOG_LEVELS.indexOf(level);
  return (of, event, fields = {}) => {
    if (LOG_LEVELS.indexOf(of) < least) return;
    const line = { time: clock().toISOString(), level: of, event, ...fields };
    const json = () => JSON.stringify({ ...line, msg: textOf({ event, ...fields }) });
    write(`${format === "json" ? json() : textOf(line)}\n`);
  };
}

function textOf(line: Fields): string {
  return Object.entries(line)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${quotedIfNeeded(String(value))}`]))
    .join(" ");
}

/** A value as it is, or in quotes where it would break the line. */
function quotedIfNeeded(text: string): string {
  return /^[^\s"=\\]+$/.test(text) ? text : JSON.stringify(text);
}
