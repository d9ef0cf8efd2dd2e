/**
 * What probe-target has seen: the other side of the client's books.
 *
 * A request that the client lost and the target completed was cut in between; one that the target never saw was cut
 * before it. Counters only grow, gauges say what is in flight.
 */

/** The counts of a probe-target. */
export interface Sightings {
  /** Requests that began, by path. */
  readonly requests: Record<string, number>;
  /** Requests whose answer was written to its end. */
  completed: number;
  /** Requests whose connection broke before the end of the answer. */
  aborted: number;
  inFlight: number;
  /** HTTP and TCP connections that were accepted, and those that are open. */
  connections: number;
  openConnections: number;
  webSocketMessages: number;
  echoedBytes: number;
}

/** Counts of a target that has seen nothing yet; they are updated in place. */
export function noSightings(): Sightings {
  return {
    requests: { "/": 0, "/sleep": 0, "/stream": 0, "/ws": 0, "/counts": 0, other: 0 },
    completed: 0,
    aborted: 0,
    inFlight: 0,
    connections: 0,
    openConnections: 0,
    webSocketMessages: 0,
    echoedBytes: 0,
  };
}
