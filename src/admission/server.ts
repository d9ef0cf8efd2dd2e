/**
 * The webhook's HTTPS server, and how it leaves.
 *
 * The API server keeps idle connections for 90 s and does not retry a POST that dies on one, so they are kept longer
 * here. Node counts the headers' time from the first byte of a request and not from the last answer (measured on Node
 * 24), so a short headers timeout does not touch idle keep-alive connections; a client that is silent from the start, or
 * stalls in the middle, is dropped.
 */
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Express } from "express";
import type { ServingCertificate } from "../tls/certificate-files.ts";
import { boundConnections } from "./connections.ts";
import { UNHEARD, withoutPipelines } from "./pipelines.ts";

/** Idle keep-alive connections are kept this long, milliseconds. */
const KEEP_ALIVE_MS = 95_000;
/** A request's headers must have come in this time. */
const HEADERS_MS = 10_000;
/** A whole request must have come in this time: the API server gives a webhook at most 30 s. */
const REQUEST_MS = 30_000;
/** How often Node looks for connections that ran out of time. */
const CHECK_MS = 1000;
/** A request's head, bytes: the API server's has a few hundred, and a token some thousand more. 512 of them are 4 MiB. */
const MAX_HEAD = 8192;

/** Where the server listens. */
export interface ListenOptions {
  readonly port: number;
  /** Undefined: `::`, or 0.0.0.0 where the machine has no IPv6. */
  readonly bind: string | undefined;
}

/** The running server. */
export interface WebhookServer {
  /** The port that it listens on. */
  readonly port: number;
  readonly address: string;
  /** Serves another certificate from the next handshake on; open connections stay. */
  useCertificate(certificate: ServingCertificate): void;
  /**
   * Stops: takes no new connections, answers what is in flight, and ends.
   *
   * @param patienceMs then connections are cut
   */
  close(patienceMs: number): Promise<void>;
}

/**
 * Starts the server. Rejects where the port cannot be had.
 *
 * @param onShed is told of each connection that went because there were too many
 * @param certificate undefined where there is none yet: every handshake fails until one is given
 */
export async function startServer(
  app: Express,
  certificate: ServingCertificate | undefined,
  options: ListenOptions,
  onShed: () => void = () => undefined,
): Promise<WebhookServer> {
  const server = createServer(
    {
      ...(certificate === undefined ? {} : contextOf(certificate)),
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      handshakeTimeout: HEADERS_MS,
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: MAX_HEAD,
      ...UNHEARD,
      noDelay: true,
    },
    withoutPipelines(app, onShed),
  );
  boundConnections(server, onShed);
  // A client that goes away in the handshake is no event; without this handler Node would destroy the socket anyway.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  await listen(server, options);
  const { port, address } = server.address() as AddressInfo;
  return {
    port,
    address,
    useCertificate: (next) => server.setSecureContext(contextOf(next)),
    close: (patienceMs) => close(server, patienceMs),
  };
}

function contextOf({ cert, key }: ServingCertificate) {
  return { cert, key, minVersion: "TLSv1.2" as const };
}

async function listen(server: Server, { port, bind }: ListenOptions): Promise<void> {
  const on = (host: string) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, host }, () => {
        server.off("error", reject);
        resolve();
      });
    });
  if (bind !== undefined) return on(bind);
  try {
    await on("::");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "EAFNOSUPPORT" && code !== "EADDRNOTAVAIL") throw error;
    await on("0.0.0.0");
  }
}

async function close(server: Server, patienceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const stop = new AbortController();
  const patience = wait(patienceMs, undefined, { signal: stop.signal, ref: false })
    .then(() => server.closeAllConnections())
    .catch(() => undefined);
  await closed;
  stop.abort();
  await patience;
}
