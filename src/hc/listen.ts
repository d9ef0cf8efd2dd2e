/**
 * Listening: on all addresses of both families, or on loopback only.
 */
import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { Server as NetServer } from "node:net";
import { pause } from "./deadline.ts";
import type { Log } from "./log.ts";

/** Time for a whole request, milliseconds: a slow client must not keep a connection. */
const REQUEST_MS = 5000;

/** How often expired connections are looked for, and a taken port is tried again, milliseconds. */
const INTERVAL_MS = 1000;

const OPTIONS: ServerOptions = {
  headersTimeout: REQUEST_MS,
  requestTimeout: REQUEST_MS,
  connectionsCheckingInterval: INTERVAL_MS,
  maxHeaderSize: 8192,
  // HAProxy's default check is `OPTIONS / HTTP/1.0`, and monitors speak HTTP/1.1 without Host.
  requireHostHeader: false,
};

/** All addresses: IPv6 with IPv4 in it, or IPv4 alone where the machine has no IPv6. */
export const EVERYWHERE = ["::", "0.0.0.0"] as const;

/** A machine without the address, which no waiting will bring. */
const ABSENT = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

/**
 * Connections that may wait to be taken, as far as the system allows: where strangers fill the queue, a balancer's check that
 * finds no place in it is sent again a second later.
 */
const BACKLOG = 4096;

/** A server, of node:http or not. */
export type Listener = NetServer & Pick<Server, "closeAllConnections">;

/** Makes a server of node:http with limits, for neighbours on loopback. */
export function limitedServer(listener: RequestListener): Server {
  return createServer(OPTIONS, listener);
}

/**
 * Listens on the first address that the machine has. A port that is taken is tried again until it is free: hc must not
 * die of a predecessor that takes a second to leave.
 */
export async function listenOn(
  server: Listener,
  addresses: readonly string[],
  port: number,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  let hasSpoken = false;
  while (!signal.aborted) {
    for (const host of addresses) {
      const problem = await listenAt(server, host, port);
      if (problem === undefined) return;
      if (ABSENT.has(problem)) {
        log("debug", "address-absent", { host, problem });
        if (host === addresses.at(-1)) return;
        continue;
      }
      if (!hasSpoken) log("error", "listen-failed", { host, port, problem });
      hasSpoken = true;
      break;
    }
    await pause(INTERVAL_MS, signal);
  }
}

function listenAt(server: Listener, host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const failed = (error: Error & { code?: string }) => resolve(error.code ?? error.message);
    server.once("error", failed);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off("error", failed);
      resolve(undefined);
    });
  });
}

/** Closes a server at once, with its connections. */
export function closeNow(server: Listener): void {
  server.close();
  server.closeAllConnections();
}
