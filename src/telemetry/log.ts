/**
 * Structured logs: one JSON object a line on stdout.
 *
 * Lines are collected and written together, since a write a line would cost more than the admission that it tells of;
 * they are flushed every second and when the process ends.
 */
import { type DestinationStream, type Logger, pino } from "pino";

/** How much is logged. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** One of the log levels. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A logger, and how to write out what it holds. */
export interface Log {
  readonly logger: Logger;
  flush(): void;
}

/** Bytes that are collected before they are written. */
const BUFFER = 4 * 1024;

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
    { level, base: {}, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    destination,
  );
}
