/**
 * What `/status` and the termination message tell of the past: the last transitions, numbered, and the drain's summary.
 */
import type { Transition } from "./machine.ts";
import { type DrainResult, phases, type State } from "./states.ts";

/** Transitions that are kept; more than one drain's. */
const MOST = 50;

/** A transition for people. */
export interface Entry {
  /** Counts from 1, so that a reader knows which it has seen. */
  readonly number: number;
  readonly from: State;
  readonly to: State;
  readonly cause: string;
  readonly inFlight: number | undefined;
  /** Seconds that the state before lasted. */
  readonly elapsed: number;
}

/** The past. */
export class History {
  readonly #entries: Entry[] = [];
  #count = 0;
  #result: DrainResult | undefined;
  #drainSeconds: number | undefined;
  #inFlightAtClose: number | undefined;
  #mostInFlight = 0;

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** How the last drain ended. */
  get result(): DrainResult | undefined {
    return this.#result;
  }

  /** Adds a transition and returns how it reads. */
  moved(transition: Transition, inFlight: number | undefined): Entry {
    const { from, to, cause, elapsedMs, result } = transition;
    this.#count += 1;
    const states = { from: phases[from], to: phases[to] };
    const entry = { number: this.#count, ...states, cause, inFlight, elapsed: seconds(elapsedMs) };
    this.#entries.push(entry);
    if (this.#entries.length > MOST) this.#entries.shift();
    if (to === "draining") this.#mostInFlight = inFlight ?? 0;
    if (to === "closing" || to === "closed") this.#inFlightAtClose ??= inFlight;
    if (to === "open") this.#inFlightAtClose = undefined;
    if (result !== undefined) {
      this.#result = result;
      this.#drainSeconds = seconds(elapsedMs);
    }
    return entry;
  }

  /** Remembers the most that was in flight during a drain. */
  saw(inFlight: number): void {
    this.#mostInFlight = Math.max(this.#mostInFlight, inFlight);
  }

  /** The drain in one object, for the termination message. */
  summary(): Record<string, string | number | undefined> {
    return {
      result: this.#result,
      drainSeconds: this.#drainSeconds,
      mostInFlight: this.#mostInFlight,
      inFlightAtClose: this.#inFlightAtClose,
      path: this.#entries.map(({ to }) => to).join(" "),
    };
  }
}

/** Milliseconds as seconds with one digit. */
export function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
