/**
 * The health port: what the load balancer and the kubelet ask. Read-only, on all addresses.
 *
 * Hot: an answer never waits for Envoy, and is nothing but the write of a prepared buffer. A check opens a connection of
 * its own each time, may be HEAD or OPTIONS, HTTP/1.0 without Host, and may be reset after the answer, which is no error.
 */
import type { IncomingMessage, RequestListener, Server } from "node:http";
import { type PhaseAnswers, prepared } from "./answers.ts";
import type { HeldRequests } from "./held-requests.ts";
import { boundConnections, limitedServer } from "./listen.ts";
import { write } from "./write-answer.ts";

/** Connections at once; each is a few kB. */
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
export function healthServer(source: HealthSource): Server {
  const paths = new Set(source.healthPaths);
  const listener: RequestListener = (request, response) => {
    const withBody = request.method !== "HEAD";
    if (!METHODS.has(request.method ?? "")) return write(response, NOT_ALLOWED);
    const path = pathOf(request);
    if (paths.has(path)) {
      const { lb } = source.answers();
      write(response, lb, withBody);
      source.answered(lb.status);
    } else if (path === "/health") write(response, source.answers().readiness, withBody);
    else if (path === "/live") write(response, ALIVE, withBody);
    else if (path === "/drained" && request.method === "GET") source.held.add(response);
    else write(response, NOT_FOUND, withBody);
  };
  const server = limitedServer(listener);
  boundConnections(server, MOST_CONNECTIONS, (socket) => source.held.has(socket));
  return server;
}

/** The path without query; a proxy in between may send the whole URL. */
export function pathOf({ url = "/" }: Pick<IncomingMessage, "url">): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.split(/[?#]/, 1)[0] || "/";
}
