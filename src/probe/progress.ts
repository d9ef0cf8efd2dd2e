/**
 * The live line of a run, on a terminal only: what has been sent, lost and is in flight, in fewer than 80 columns.
 */
import type { Recorder } from "./recorder.ts";
import { count } from "./words.ts";

/** How often the line is written, milliseconds. */
const EVERY_MS = 250;

/** A line that is rewritten in place until it is stopped. */
export interface ProgressLine {
  /** Writes a sentence above the line. */
  say(line: string): void;
  /** Wipes the line and writes no more. */
  stop(): void;
}

/** Starts a progress line; on anything but a terminal it only passes sentences on. */
export function progressLine(
  stream: { readonly isTTY?: boolean; write(text: string): unknown },
  recorder: Recorder,
): ProgressLine {
  if (!stream.isTTY) return { say: (line) => void stream.write(`${line}\n`), stop: () => undefined };
  const wipe = "\r\u001b[K";
  const timer = setInterval(() => stream.write(`${wipe}${progressText(recorder)}`), EVERY_MS);
  timer.unref();
  return {
    say: (line) => void stream.write(`${wipe}${line}\n`),
    stop() {
      clearInterval(timer);
      stream.write(wipe);
    },
  };
}

/** The text of the line. */
export function progressText(recorder: Recorder): string {
  const { started, ok, lost, inFlight } = recorder.progress;
  const seconds = (recorder.now() / 1000).toFixed(1).padStart(6);
  return `${seconds} s  sent ${count(started)}  ok ${count(ok)}  lost ${count(lost)}  in flight ${count(inFlight)}`.slice(
    0,
    79,
  );
}
