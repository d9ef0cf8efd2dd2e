/**
 * GET /metrics, and GET /livez, on a plain port of its own.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";

/** The running server. */
export interface MetricsServer {
  readonly port: number;
  close(): void;
}

/**
 * Starts it.
 *
 * @param bind address; undefined: all
 */
export async function startMetrics(registry: Registry, port: number, bind: string | undefined): Promise<MetricsServer> {
  const server = createServer({ headersTimeout: 5000, requestTimeout: 5000 }, (request, response) => {
    const path = request.method === "GET" ? request.url?.split("?")[0] : undefined;
    if (path === "/livez") {
      // A kubelet can ask here before there is a certificate to serve with.
      response.writeHead(200, { "Content-Type": "text/plain" }).end("ok\n");
      return;
    }
    if (path !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { "Content-Type": registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, ...(bind === undefined ? {} : { host: bind }) }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
