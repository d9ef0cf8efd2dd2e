/**
 * The metrics port: GET /metrics on all addresses, and nothing else.
 */
import { prepared } from "./answers.ts";
import { CONTENT_TYPE, exposition, type Family } from "./exposition.ts";
import { OneRequestServer } from "./one-request-server.ts";

/** Connections at once: scrapers are few. */
const MOST_CONNECTIONS = 16;

const NOT_FOUND = prepared({ status: 404, body: "GET /metrics\n" });

/** Makes the server. */
export function metricsServer(families: () => readonly Family[]): OneRequestServer {
  return new OneRequestServer(MOST_CONNECTIONS, (exchange) => {
    const { method, path } = exchange;
    if (method !== "GET" || path !== "/metrics") return exchange.answer(NOT_FOUND);
    exchange.answer(prepared({ status: 200, body: exposition(families()) }, CONTENT_TYPE));
  });
}
