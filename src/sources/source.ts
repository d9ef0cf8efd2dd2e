/**
 * A source: a value from outside the process that changes while it runs, such as the policies or the mesh config.
 *
 * Files and the cluster are sources of the same values. What is in force stays in force while a source cannot be read,
 * or has something in it that cannot be used.
 */
import type { Notice } from "../codes/registry.ts";

/** What a source tells while it is followed. None of these may throw. */
export interface SourceEvents {
  /** There is another value. */
  changed(): void;
  /** Something in the source cannot be used. */
  refused(problems: readonly Notice[], kept: string): void;
  /** The source cannot be reached; it is tried again after `retryMs` milliseconds. */
  unreachable(reason: string, retryMs: number): void;
}

/** A value that changes. */
export interface Source<T> {
  /** The value in force; undefined before there was a first one. */
  current(): { readonly value: T } | undefined;
  /** Follows the source until the signal is aborted. Never rejects. */
  follow(signal: AbortSignal): Promise<void>;
}

/** The source of a value that never changes. */
export function fixed<T>(value: T): Source<T> {
  return { current: () => ({ value }), follow: async () => {} };
}
