/**
 * The metrics port: GET /metrics on all addresses, and nothing else.
 */
import type { Server } from "node:http";
import { prepared } from "./answers.ts";
import { CONTENT_TYPE, exposition, type Family } from "./exposition.ts";
import { pathOf } from "./health-server.ts";
import { boundConnections, limitedServer } from "./listen.ts";
import { write } from "./write-answer.ts";

/** Connections at once: scrapers are few. */
const MOST_CONNECTIONS = 16;

const NOT_FOUND = prepared({ status: 404, body: "GET /metrics\n" });

/** Makes the server. */
export function metricsServer(families: () => readonly Family[]): Server {
  const server = limitedServer((request, response) => {
    if (request.method !== "GET" || pathOf(request) !== "/metrics") return write(response, NOT_FOUND);
    const body = exposition(families());
    response.writeHead(200, {
      "Content-Type": CONTENT_TYPE,
      "Content-Length": Buffer.byteLength(body),
      Connection: "close",
    });
    response.end(body);
  });
  boundConnections(server, MOST_CONNECTIONS, () => false);
  return server;
}
