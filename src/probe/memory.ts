/**
 * Keeps the generator small.
 *
 * V8 lets its young generation grow to 16 MiB per half and more where the machine has memory to spare, and a load makes
 * much garbage that lives for a millisecond. A client that runs in a pod beside what it measures should not: without
 * growth a load of 1,000 requests/s stays below 200 MiB (bench/probe.ts), and its lag is the same.
 */
import { setFlagsFromString } from "node:v8";

/** Stops the growth of V8's young generation; to be called once, before the load. */
export function keepSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
