/**
 * How numbers and runs are put into words, the same in table, plot and progress line.
 */
import type { Recorder } from "./recorder.ts";
import type { RunSpec } from "./run-spec.ts";

/** A count with thousands separated: `12,345`. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** Milliseconds as a person reads them: `0.4 ms`, `12 ms`, `1.25 s`. */
export function milliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(2)} s`;
  return `${value >= 10 ? value.toFixed(0) : value.toFixed(1)} ms`;
}

/** An instant of the run relative to its trigger, or to its begin where there is none: `T+1.532 s`, `3.200 s`. */
export function instant(atMs: number, triggerMs: number | undefined): string {
  if (triggerMs === undefined) return `${(atMs / 1000).toFixed(3)} s`;
  const seconds = (atMs - triggerMs) / 1000;
  return `T${seconds < 0 ? "-" : "+"}${Math.abs(seconds).toFixed(3)} s`;
}

/** The protocol that a spec speaks. */
export function protocolOf({ scenario, http2, targets }: RunSpec): string {
  if (scenario.name === "tcp") return targets.every(({ scheme }) => scheme === "tcp") ? "TCP" : "WebSocket";
  return http2 ? "HTTP/2" : "HTTP/1.1";
}

/** How a run goes, in one line: what has been sent, lost and is in flight. */
export function progressText(recorder: Recorder): string {
  const { started, ok, lost, inFlight } = recorder.progress;
  const seconds = (recorder.now() / 1000).toFixed(1).padStart(6);
  return `${seconds} s  sent ${count(started)}  ok ${count(ok)}  lost ${count(lost)}  in flight ${count(inFlight)}`;
}

/** What a spec asks for, in one phrase. */
export function request({ scenario, targets, client }: RunSpec): string {
  const each = targets.length === 1 ? "" : " a target";
  switch (scenario.name) {
    case "long":
      return `${plural(scenario.count, "request")} of ${scenario.seconds} s${each}`;
    case "stream":
      return `${plural(scenario.count, "stream")} of ${scenario.chunks} chunks, one a second${each}`;
    case "load":
      return (
        `${count(scenario.rate)} requests/s for ${scenario.durationMs / 1000} s, ` +
        `${percent(scenario.oneShot)} one-shot, ${percent(scenario.longShare)} long, ${client.lanes} kept connections${each}`
      );
    case "tcp":
      return `${count(scenario.connections)} connections held for ${scenario.durationMs / 1000} s`;
    case "watch":
      return `${scenario.count} long requests of ${scenario.seconds} s and ${scenario.count} kept connections${each}`;
  }
}

function plural(value: number, word: string): string {
  return `${count(value)} ${value === 1 ? word : `${word}s`}`;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}
