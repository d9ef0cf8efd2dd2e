/**
 * Waiting for what takes seconds on a machine that is being measured: looked at four times a second, and not more often.
 */
import { setTimeout as wait } from "node:timers/promises";

/** Time between two looks, milliseconds. */
const LOOK_MS = 250;

/** What is waited for may have a whole drain before it, milliseconds. */
const PATIENCE_MS = 240_000;

/** Waits until a claim holds; throws where it never does. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`never came: ${what}`);
    await wait(LOOK_MS);
  }
}
