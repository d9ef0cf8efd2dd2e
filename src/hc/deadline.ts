/**
 * Waits that end with their reason: each takes an AbortSignal, and leaves no timer behind.
 */

/**
 * Waits.
 *
 * @returns when the time has passed or the signal is aborted, whichever is first; never rejects
 */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    // Longer waits than this number of milliseconds would be taken for none.
    const timer = setTimeout(done, Math.min(ms, 0x7fffffff));
    signal.addEventListener("abort", done);
  });
}

/**
 * Runs something that must end in time.
 *
 * @param run gets a signal that is aborted when the time has passed, or with the outer one
 */
export async function within<T>(ms: number, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const inner = new AbortController();
  const abort = () => inner.abort();
  const timer = setTimeout(abort, ms);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    return await run(inner.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
