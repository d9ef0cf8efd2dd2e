/**
 * The health port: what the load balancer and the kubelet ask. Read-only, on all addresses.
 *
 * Hot: an answer never waits for Envoy, and is nothing but the write of a prepared buffer. A check opens a connection of
 * its own each time, may be HEAD or OPTIONS, HTTP/1.0 without Host, and may be reset after the answer, which is no error.
 */
import { type PhaseAnswers, prepared } from "./answers.ts";
import type { HeldRequests } from "./held-requests.ts";
import { OneRequestServer } from "./one-request-server.ts";

/** Connections at once that wait for their own request; each is a few kB. */
const MOST_CONNECTIONS = 256;

const ALIVE = prepared({ status: 200, body: "alive\n" });
const NOT_FOUND = prepared({
  status: 404,
  body: "not a path of hc; HEALTH_PATHS says which the load balancer checks\n",
});
const NOT_ALLOWED = prepared({ status: 405, body: "only GET, HEAD and OPTIONS\n" });
const METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** What the server needs to know. */
export interface HealthSource {
  readonly healthPaths: readonly string[];
  /** The answers of the phase of this moment. */
  answers(): PhaseAnswers;
  /** The load balancer was given an answer. */
  answered(status: number): void;
  readonly held: HeldRequests;
}

/** Makes the server. */
export function healthServer(source: HealthSource): OneRequestServer {
  const paths = new Set(source.healthPaths);
  return new OneRequestServer(MOST_CONNECTIONS, (exchange) => {
    const { method, path } = exchange;
    if (!METHODS.has(method)) return exchange.answer(NOT_ALLOWED);
    if (paths.has(path)) {
      const { lb } = source.answers();
      exchange.answer(lb);
      source.answered(lb.status);
    } else if (path === "/health") exchange.answer(source.answers().readiness);
    else if (path === "/live") exchange.answer(ALIVE);
    else if (path === "/drained" && method === "GET") source.held.add(exchange);
    else exchange.answer(NOT_FOUND);
  });
}
