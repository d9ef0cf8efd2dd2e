/**
 * probe-target: a tiny application for places that have none to probe, and for tests.
 *
 * It stops as a well-made application does: it takes no new connection, lets what is in flight finish within the grace,
 * and then cuts what is left.
 */
import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttp2Server, createSecureServer, type Http2Server } from "node:http2";
import { type AddressInfo, createServer as createEcho, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { answers } from "./answers.ts";
import { noSightings, type Sightings } from "./sightings.ts";

/** How the application listens. */
export interface ApplicationOptions {
  /** Address to listen on. */
  readonly host: string;
  /** Port of HTTP; 0 takes a free one. */
  readonly port: number;
  /** Port of the TCP echo; 0 takes a free one, undefined leaves it out. */
  readonly tcpPort: number | undefined;
  /** What it calls itself in `x-probe-target`. */
  readonly name: string;
  /** Speaks HTTP/2 without TLS (prior knowledge); with TLS both are spoken anyway. */
  readonly http2: boolean;
  /** PEM texts; undefined for plain text. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
}

/** A running application. */
export interface Application {
  readonly port: number;
  readonly tcpPort: number | undefined;
  readonly seen: Sightings;
  /** Stops it: what is in flight has `graceMs` to finish. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts the application.
 *
 * @throws the system's error when a port cannot be had
 */
export async function startApplication(options: ApplicationOptions): Promise<Application> {
  const seen = noSightings();
  const sockets = new Set<Socket>();
  const web = webServer(options, seen);
  const webSockets = new WebSocketServer({ noServer: true });
  web.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgrade(webSockets, seen, request, socket, head);
  });
  const echo = options.tcpPort === undefined ? undefined : echoServer(seen);
  for (const server of [web, echo]) {
    server?.on("connection", (socket: Socket) => {
      seen.connections += 1;
      seen.openConnections += 1;
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        seen.openConnections -= 1;
        sockets.delete(socket);
      });
    });
  }
  const port = await listen(web, options.port, options.host);
  const tcpPort = echo && (await listen(echo, options.tcpPort ?? 0, options.host));

  return {
    port,
    tcpPort,
    seen,
    async stop(graceMs) {
      const closed = [web, ...(echo ? [echo] : [])].map(
        (server) => new Promise<void>((resolve) => server.close(() => resolve())),
      );
      const deadline = performance.now() + graceMs;
      while (seen.inFlight > 0 && performance.now() < deadline) await new Promise((wake) => setTimeout(wake, 20));
      for (const client of webSockets.clients) client.close(1001, "the target stops");
      await new Promise((written) => setImmediate(written));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

function webServer({ tls, http2, name }: ApplicationOptions, seen: Sightings): HttpServer | Http2Server {
  const answer = answers(name, seen);
  if (tls !== undefined) return createSecureServer({ ...tls, allowHTTP1: true }, answer);
  if (http2) return createHttp2Server(answer);
  // Node's own limits would end a long stream or a held connection; here the client and the balancer decide.
  return createServer({ requestTimeout: 0, keepAliveTimeout: 3_600_000 }, answer);
}

/** Sends back what it gets. */
function echoServer(seen: Sightings): Server {
  return createEcho((socket) => {
    socket.on("data", (piece) => {
      seen.echoedBytes += piece.length;
      socket.write(piece);
    });
  });
}

/** /ws sends back every message; any other path refuses the upgrade. */
function upgrade(
  webSockets: WebSocketServer,
  seen: Sightings,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  if (new URL(request.url ?? "/", "http://target").pathname !== "/ws") {
    socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    return;
  }
  webSockets.handleUpgrade(request, socket, head, (client) => {
    seen.requests["/ws"] = (seen.requests["/ws"] ?? 0) + 1;
    client.on("error", () => undefined);
    client.on("message", (message, isBinary) => {
      seen.webSocketMessages += 1;
      client.send(message, { binary: isBinary });
    });
  });
}

function listen(server: Server | Http2Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
