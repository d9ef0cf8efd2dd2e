/**
 * What the HTTP/1.1 and the HTTP/2 client have in common, so that scenarios need not know which one they drive.
 *
 * Neither follows redirects, retries or decompresses: a client that helps is a client that hides.
 */
import { kindLabels, type RequestOutcome } from "./outcome.ts";
import type { Target } from "./target.ts";

/** One request to make. */
export interface Exchange {
  readonly target: Target;
  /** Path and query. */
  readonly path: string;
  /** Which of the client's keep-alive connections to use, or undefined for a new one that ends with the request. */
  readonly lane: number | undefined;
  /** Longest time from the start of the request to the end of its answer. */
  readonly timeoutMs: number;
  /** Lines that the body must have to be complete: the only way to see the end of a body that the server ends by FIN. */
  readonly lines: number | undefined;
}

/** What every request of a client has in common. */
export interface ClientOptions {
  /** Keep-alive connections (HTTP/2: sessions) per target. */
  readonly lanes: number;
  /** Extra request headers, names in lower case; `host` sets the authority. */
  readonly headers: Readonly<Record<string, string>>;
  /** The response header that names the backend, in lower case. */
  readonly backendHeader: string;
  /** PEM of the authorities to trust instead of the system's; undefined for those. */
  readonly ca: string | undefined;
  /** Whether a certificate that does not verify is taken. */
  readonly insecure: boolean;
}

/** An HTTP client that reports how each request ended. */
export interface Client {
  /** Makes a request. It never rejects; undefined means that `close` ended it before it could end by itself. */
  request(exchange: Exchange): Promise<RequestOutcome | undefined>;
  /** Ends every connection and every request in flight. */
  close(): void;
}

/** Counts the lines of a body that comes in pieces. */
export function countLines(piece: Buffer): number {
  let lines = 0;
  for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines += 1;
  return lines;
}

/** An outcome in one phrase: `reset after 812 bytes`, `502`, `h2 stream reset CANCEL`. */
export function describe(outcome: RequestOutcome): string {
  const { kind, detail, phase, bytes } = outcome;
  if (kind === "5xx" || kind === "status") return detail;
  const name = detail === "" ? kindLabels[kind] : `${kindLabels[kind]} ${detail}`;
  if (phase === "body" && kind === "closed") return `closed after ${bytes} bytes`;
  if (phase === "body" && kind !== "ok") return `${name} after ${bytes} bytes`;
  if (phase === "connect" && kind !== "refused") return `${name} while connecting`;
  return name;
}
