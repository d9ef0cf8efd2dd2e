/**
 * Structured logs: one JSON object a line on stdout.
 *
 * Lines are collected and written together, since a write a line would cost more than the admission that it tells of;
 * they are flushed every second and when the process ends.
 */
import { type DestinationStream, type Logger, pino } from "pino";
import type { LogLevel } from "../codes/log-level.ts";
import { cut } from "../codes/quoted.ts";

/** A logger, and how to write out what it holds. */
export interface Log {
  readonly logger: Logger;
  flush(): void;
}

/** Bytes that are collected before they are written. */
const BUFFER = 4 * 1024;

/** Longest text in a field, characters: a pod's name may be megabytes long before anybody has refused it. */
const LONGEST_FIELD = 256;

/** Longest text that says what is wrong with a source: the API server names what is forbidden at the end of a long sentence. */
const LONGEST_PROBLEM = 1024;

/** Longest stack of an error, characters. */
const LONGEST_STACK = 4096;

/** Starts a logger on stdout. */
export function startLog(level: LogLevel): Log {
  const destination = pino.destination({ dest: 1, sync: false, minLength: BUFFER });
  const timer = setInterval(() => destination.flush(), 1000);
  timer.unref();
  return {
    logger: loggerTo(level, destination),
    flush: () => destination.flushSync(),
  };
}

/** A logger that writes to a stream. */
export function loggerTo(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: {},
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: withShortFields },
      serializers: { err: shortError },
    },
    destination,
  );
}

/** The same fields, with texts cut; a line stays a line, whatever a stranger called his pod. */
function withShortFields(fields: Record<string, unknown>): Record<string, unknown> {
  let short: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(fields)) {
    const longest = name === "problem" ? LONGEST_PROBLEM : LONGEST_FIELD;
    if (typeof value !== "string" || value.length <= longest) continue;
    short ??= { ...fields };
    short[name] = cut(value, longest);
  }
  return short ?? fields;
}

function shortError(error: Error): unknown {
  const { type, message, stack, ...others } = pino.stdSerializers.err(error);
  if (typeof message !== "string") return error;
  const { raw: _, ...told } = others;
  return { type, message: cut(message, LONGEST_FIELD), stack: cut(stack ?? "", LONGEST_STACK), ...told };
}
