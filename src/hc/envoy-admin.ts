/**
 * Envoy's admin port, as far as hc needs it. One poll at a time: the caller waits for the last one.
 *
 * A poll costs Envoy's main thread a walk over all stats, three times less with `type=Gauges`, which keeps zeros;
 * the counters are asked for only when the gauges say that nothing is in flight.
 */
import { COUNTERS, type DrainGate, GAUGES, InFlightSum, RequestSum } from "./in-flight.ts";
import { ask, type Failure, type Reply, readText } from "./loopback.ts";
import { StatScanner } from "./stats-text.ts";
import type { Reading } from "./view.ts";

/** Why a poll brought nothing. */
export type PollFailure = Failure | "status";

/** A reading, or why there is none. */
export type Poll =
  | { readonly reading: Reading; readonly failure?: undefined }
  | { readonly failure: PollFailure; readonly reading?: undefined };

/** How long Envoy may take for an answer, and be silent in the middle of one, milliseconds. */
export const ADMIN_TIMEOUT_MS = 2000;

/**
 * How long the stats may take that keep coming, milliseconds. Those of tens of thousands of clusters take seconds from a
 * busy Envoy, and a drain that gives up on them is blind; an answer without an end must not hold up the drain either.
 */
const WHOLE_STATS_MS = 10_000;

/** Reasons, for metrics that exist from the start. */
export const POLL_FAILURES: readonly PollFailure[] = ["refused", "silent", "garbled", "endless", "failed", "status"];

/** Where Envoy is, and what counts. */
export interface AdminOptions {
  readonly adminPort: number;
  readonly readyPort: number;
  readonly gate: DrainGate;
}

/** Looks at the stats once. */
export async function pollStats(options: AdminOptions, signal: AbortSignal): Promise<Poll> {
  const { adminPort, readyPort, gate } = options;
  const gauges = new InFlightSum(readyPort, gate);
  const query = `type=Gauges&filter=${encodeURIComponent(GAUGES)}`;
  const failed = await scan(adminPort, query, (stat, value) => gauges.add(stat, value), signal);
  if (failed !== undefined) return { failure: failed };
  const sum = gauges.total();
  if (sum.inFlight > 0) return { reading: { ...sum, requests: undefined } };
  const counters = new RequestSum();
  const filter = `filter=${encodeURIComponent(COUNTERS)}`;
  const failure = await scan(adminPort, filter, (stat, value) => counters.add(stat, value), signal);
  if (failure !== undefined) return { failure };
  const requests = counters.total();
  const hidden = requests === undefined ? [...sum.hidden, "downstream_rq_total"] : sum.hidden;
  return { reading: { ...sum, hidden, requests } };
}

/** Reads stats while they come; gives what went wrong. */
async function scan(
  port: number,
  query: string,
  onStat: (stat: string, value: number) => void,
  signal: AbortSignal,
): Promise<PollFailure | undefined> {
  const scanner = new StatScanner(onStat);
  const patience = { silentMs: ADMIN_TIMEOUT_MS, wholeMs: WHOLE_STATS_MS };
  const read = await readText("GET", port, `/stats?${query}`, patience, signal, (text) => scanner.take(text));
  if (read.failure !== undefined) return read.failure;
  if (read.status !== 200) return "status";
  return scanner.end() ? undefined : "garbled";
}

/** Makes every response carry Connection: close or GOAWAY, with listeners open and readiness as it is. */
export function retireConnections(port: number, signal: AbortSignal): Promise<boolean> {
  return post(port, "/healthcheck/fail", signal);
}

/** Takes that back. */
export function keepConnections(port: number, signal: AbortSignal): Promise<boolean> {
  return post(port, "/healthcheck/ok", signal);
}

/** Ends Envoy at once, and its agent with it. The agent's own port is closed from its SIGTERM on. */
export function quitProxy(port: number, signal: AbortSignal): Promise<boolean> {
  return post(port, "/quitquitquit", signal);
}

async function post(port: number, path: string, signal: AbortSignal): Promise<boolean> {
  const reply: Reply = await ask("POST", port, path, ADMIN_TIMEOUT_MS, signal);
  return reply.failure === undefined && reply.status === 200;
}
