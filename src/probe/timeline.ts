/**
 * What happened in each slice of the run, for the plot: so much memory per second, whatever the rate.
 */
import { type Kind, kinds } from "./outcome.ts";

/** Outcomes of the requests that ended within one slice. */
export interface Slice {
  readonly counts: Readonly<Partial<Record<Kind, number>>>;
  /** The longest latency of a complete answer, milliseconds; 0 when there was none. */
  readonly slowestMs: number;
}

/** The run in slices of equal length; slice 0 begins with the run. */
export interface Timeline {
  readonly sliceMs: number;
  readonly slices: readonly Slice[];
}

/** Collects a timeline. */
export interface TimelineRecorder {
  /** Notes that a request ended, with its latency in milliseconds. */
  add(endedMs: number, kind: Kind, latencyMs: number): void;
  /** The timeline up to an instant. */
  upTo(elapsedMs: number): Timeline;
}

/** Slices that a timeline may have: two hours of seconds; later ones are added to the last. */
const MOST_SLICES = 7200;

/** Makes a recorder of slices of the given length, in milliseconds. */
export function timelineRecorder(sliceMs: number): TimelineRecorder {
  const slices: { counts: Uint32Array; slowestMs: number }[] = [];
  const at = (index: number) => {
    while (slices.length <= index) slices.push({ counts: new Uint32Array(kinds.length), slowestMs: 0 });
    return slices[index];
  };
  return {
    add(endedMs, kind, latencyMs) {
      const slice = at(Math.min(MOST_SLICES - 1, Math.max(0, Math.floor(endedMs / sliceMs))));
      if (slice === undefined) return;
      const index = kinds.indexOf(kind);
      slice.counts[index] = (slice.counts[index] ?? 0) + 1;
      if (kind === "ok") slice.slowestMs = Math.max(slice.slowestMs, latencyMs);
    },
    upTo(elapsedMs) {
      // The last request ends a few milliseconds after the run's round end; that alone makes no slice.
      at(Math.min(MOST_SLICES, Math.max(1, Math.ceil(elapsedMs / sliceMs - 0.05))) - 1);
      return {
        sliceMs,
        slices: slices.map(({ counts, slowestMs }) => ({
          slowestMs,
          counts: Object.fromEntries(kinds.flatMap((kind, index) => (counts[index] ? [[kind, counts[index]]] : []))),
        })),
      };
    },
  };
}
