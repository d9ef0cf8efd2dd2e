/**
 * What hc counts. Every series exists from the start, so that a rate over it is right from the first event on; all label
 * sets are bounded.
 *
 * A gateway's hc dies with its pod, so alerts look at the gauges of the state rather than at increases of counters.
 */
import { POLL_FAILURES, type PollFailure } from "./envoy-admin.ts";
import type { Family, Sample } from "./exposition.ts";
import type { Transition } from "./machine.ts";
import { DRAIN_RESULTS, FAULTS, type Fault, phases, STATES, type State } from "./states.ts";
import { transitions } from "./transitions.ts";

/** Seconds: a drain ends with the fixed waits, with a long request, or with a long stream. */
export const DRAIN_BUCKETS: readonly number[] = [1, 2.5, 5, 10, 20, 30, 45, 60, 90, 120, 300, 600, 1200, 1800, 3600];

/** What is read at the moment of a scrape. */
export interface Moment {
  readonly state: State;
  /** Why the state is FAULT; undefined in the others. */
  readonly fault: Fault | undefined;
  readonly inFlight: number | undefined;
  readonly statsVisible: boolean | undefined;
  /** Since OPEN ended; undefined until a drain begins, and again after a reopening. */
  readonly secondsSinceDrainBegan: number | undefined;
  readonly drainTimeoutSeconds: number;
  /** Undefined before the load balancer asked for the first time. */
  readonly secondsSinceAsked: number | undefined;
  readonly heldRequests: number;
}

/** The counters. */
export class Measures {
  readonly #transitions = new Map<string, number>(transitions.map(({ from, to, event }) => [key(from, to, event), 0]));
  readonly #drains = counters(DRAIN_RESULTS);
  readonly #statsErrors = counters(POLL_FAILURES);
  readonly #answers = new Map<number, number>();
  readonly #buckets: number[] = DRAIN_BUCKETS.map(() => 0);
  #drainSeconds = 0;
  #drainsEnded = 0;
  #errors = 0;

  /** @param statuses the answers that the load balancer can be given */
  constructor(statuses: Iterable<number>) {
    for (const status of statuses) this.#answers.set(status, 0);
  }

  /** Unexpected errors that were survived. */
  get errors(): number {
    return this.#errors;
  }

  moved({ from, to, cause, result, elapsedMs }: Transition): void {
    add(this.#transitions, key(from, to, cause));
    if (result === undefined) return;
    const seconds = elapsedMs / 1000;
    add(this.#drains, result);
    this.#drainsEnded += 1;
    this.#drainSeconds += seconds;
    DRAIN_BUCKETS.forEach((bound, at) => {
      if (seconds <= bound) this.#buckets[at] = (this.#buckets[at] ?? 0) + 1;
    });
  }

  /** Hot: once an answer. */
  answered(status: number): void {
    add(this.#answers, status);
  }

  pollFailed(reason: PollFailure): void {
    add(this.#statsErrors, reason);
  }

  failed(): void {
    this.#errors += 1;
  }

  /** The families at a moment. */
  families(moment: Moment): readonly Family[] {
    const known = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [{ value }]);
    return [
      gauge(
        "state",
        "1 for the state that hc is in.",
        STATES.map((state) => ({ labels: { state }, value: Number(state === moment.state) })),
      ),
      gauge(
        "fault",
        "1 for the cause of FAULT while hc is in it.",
        FAULTS.map((cause) => ({ labels: { cause }, value: Number(cause === moment.fault) })),
      ),
      counter(
        "transitions_total",
        "Transitions by their states and cause.",
        [...this.#transitions].map(([pair, value]) => ({ labels: JSON.parse(pair), value })),
      ),
      gauge(
        "in_flight",
        "Requests in flight at the proxy; absent while Envoy does not tell, or hides it.",
        known(moment.inFlight),
      ),
      gauge(
        "stats_visible",
        "1 if the proxy's stats matcher shows what hc needs, 0 if a drain would be blind.",
        known(moment.statsVisible === undefined ? undefined : Number(moment.statsVisible)),
      ),
      counter(
        "drains_total",
        "Drains by how they ended, counted when DRAINING ends.",
        labelled("result", this.#drains),
      ),
      gauge(
        "seconds_since_drain_began",
        "Seconds since the drain began; absent while there is none.",
        known(moment.secondsSinceDrainBegan),
      ),
      gauge("drain_timeout_seconds", "This pod's drain timeout, in seconds.", [{ value: moment.drainTimeoutSeconds }]),
      {
        name: "gracegate_hc_drain_duration_seconds",
        type: "histogram",
        help: "How long DRAINING took, in seconds.",
        samples: this.#durations(),
      },
      counter(
        "stats_errors_total",
        "Polls of Envoy's stats that failed, by reason.",
        labelled("reason", this.#statsErrors),
      ),
      counter("health_answers_total", "Answers to the load balancer by status.", labelled("code", this.#answers)),
      gauge(
        "seconds_since_lb_asked",
        "Seconds since the load balancer last asked; absent before the first time.",
        known(moment.secondsSinceAsked),
      ),
      gauge("held_requests", "Requests for /drained that wait for CLOSED.", [{ value: moment.heldRequests }]),
      counter("unexpected_errors_total", "Errors of hc itself that it survived.", [{ value: this.#errors }]),
    ];
  }

  #durations(): readonly Sample[] {
    const buckets = DRAIN_BUCKETS.map(
      (bound, at): Sample => ({ suffix: "_bucket", labels: { le: String(bound) }, value: this.#buckets[at] ?? 0 }),
    );
    return [
      ...buckets,
      { suffix: "_bucket", labels: { le: "+Inf" }, value: this.#drainsEnded },
      { suffix: "_sum", value: this.#drainSeconds },
      { suffix: "_count", value: this.#drainsEnded },
    ];
  }
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name: `gracegate_hc_${name}`, type: "gauge", help, samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name: `gracegate_hc_${name}`, type: "counter", help, samples };
}

function counters<Key extends string>(keys: readonly Key[]): Map<Key, number> {
  return new Map(keys.map((name) => [name, 0]));
}

function add<Key>(counts: Map<Key, number>, name: Key): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function labelled(label: string, counts: ReadonlyMap<string | number, number>): readonly Sample[] {
  return [...counts].map(([name, value]) => ({ labels: { [label]: String(name) }, value }));
}

/** Two phases may show the same pair of states; they share a series. */
function key(from: Transition["from"], to: Transition["to"], cause: Transition["cause"]): string {
  return JSON.stringify({ from: phases[from], to: phases[to], cause });
}
