/**
 * Envoy's admin port, as far as hc needs it. One poll at a time: the caller waits for the last one.
 *
 * A poll costs Envoy's main thread a walk over all stats, three times less with `type=Gauges`, which keeps zeros;
 * the counters are asked for only when the gauges say that nothing is in flight.
 */
import { COUNTERS, type DrainGate, GAUGES, inFlightOf, requestsOf } from "./in-flight.ts";
import { ask, type Failure, type Reply } from "./loopback.ts";
import { parseStats, type Stats } from "./stats-text.ts";
import type { Reading } from "./view.ts";

/** Why a poll brought nothing. */
export type PollFailure = Failure | "status";

/** A reading, or why there is none. */
export type Poll =
  | { readonly reading: Reading; readonly failure?: undefined }
  | { readonly failure: PollFailure; readonly reading?: undefined };

/** How long Envoy may take for an answer, milliseconds. */
export const ADMIN_TIMEOUT_MS = 2000;

/** Reasons, for metrics that exist from the start. */
export const POLL_FAILURES: readonly PollFailure[] = ["refused", "silent", "garbled", "too-large", "failed", "status"];

/** Where Envoy is, and what counts. */
export interface AdminOptions {
  readonly adminPort: number;
  readonly readyPort: number;
  readonly gate: DrainGate;
}

/** Looks at the stats once. */
export async function pollStats(options: AdminOptions, signal: AbortSignal): Promise<Poll> {
  const gauges = await stats(options.adminPort, `type=Gauges&filter=${encodeURIComponent(GAUGES)}`, signal);
  if (typeof gauges === "string") return { failure: gauges };
  const sum = inFlightOf(gauges, options.readyPort, options.gate);
  if (sum.inFlight > 0) return { reading: { ...sum, requests: undefined } };
  const counters = await stats(options.adminPort, `filter=${encodeURIComponent(COUNTERS)}`, signal);
  if (typeof counters === "string") return { failure: counters };
  const requests = requestsOf(counters);
  const hidden = requests === undefined ? [...sum.hidden, "downstream_rq_total"] : sum.hidden;
  return { reading: { ...sum, hidden, requests } };
}

async function stats(port: number, query: string, signal: AbortSignal): Promise<Stats | PollFailure> {
  const reply = await ask("GET", port, `/stats?${query}`, ADMIN_TIMEOUT_MS, signal);
  if (reply.failure !== undefined) return reply.failure;
  return reply.status === 200 ? (parseStats(reply.body) ?? "garbled") : "status";
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
