/**
 * Ctrl-C, SIGTERM and a terminal that goes away as an AbortSignal, so that a run ends its own requests, reports and then exits.
 */

const NAMES = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A signal that fires at the first SIGINT, SIGTERM or SIGHUP; a second one has the system's own effect. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Gives the signals back to the system. */
  [Symbol.dispose](): void;
}

/** Takes over the signals until it is disposed of. */
export function interruption(): Interruption {
  const controller = new AbortController();
  const abort = () => {
    release();
    controller.abort();
  };
  const release = () => {
    for (const name of NAMES) process.off(name, abort);
  };
  for (const name of NAMES) process.once(name, abort);
  return { signal: controller.signal, [Symbol.dispose]: release };
}
