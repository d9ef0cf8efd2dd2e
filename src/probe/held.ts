/**
 * How a held connection ends, over TCP and over a WebSocket alike.
 */
import type { Kind, Phase } from "./outcome.ts";

/** The end of one connection. */
export interface SessionEnd {
  readonly kind: Kind;
  readonly detail: string;
  readonly phase: Phase;
  readonly bytes: number;
}

/** An echo owed at the end is overdue after two intervals, and never before this. */
const LEAST_OVERDUE_MS = 2000;

/** Whether an echo is owed for too long when the time is up. */
export function isOverdue(sentMs: number, intervalMs: number): boolean {
  return performance.now() - sentMs > Math.max(2 * intervalMs, LEAST_OVERDUE_MS);
}
