/** How much is logged, most first. A file of its own, so that naming the levels loads no logger. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** One of the log levels. */
export type LogLevel = (typeof LOG_LEVELS)[number];
