/**
 * Ctrl-C and SIGTERM as an AbortSignal, so that a run ends its own requests, reports and then exits.
 */

/** A signal that fires at the first SIGINT or SIGTERM; a second one has the system's own effect. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Gives the signals back to the system. */
  [Symbol.dispose](): void;
}

/** Takes over SIGINT and SIGTERM until it is disposed of. */
export function interruption(): Interruption {
  const controller = new AbortController();
  const abort = () => {
    release();
    controller.abort();
  };
  const release = () => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, abort);
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, abort);
  return { signal: controller.signal, [Symbol.dispose]: release };
}
