/**
 * A server that reads one small request a connection, writes a prepared answer and closes: all that a health check needs.
 *
 * Not node:http, since strangers can reach these ports. It parses everything that one packet holds, a thousand requests
 * if they are short, before anybody else is served: five hundred such clients kept hc silent for seconds and took
 * 460 MiB. Here what follows the first request is never looked at, and a check costs a third of the time.
 */
import { Server, type Socket } from "node:net";
import { type PreparedAnswer, prepared } from "./answers.ts";
import { FairPlaces } from "./fair-places.ts";

/** Longest request without its body, bytes; more that comes while an answer is held ends the connection too. */
const MOST_BYTES = 8192;

/** Time for a whole request and for the end of the connection after its answer, milliseconds. */
const REQUEST_MS = 5000;

/** How often connections are looked for whose time is over, milliseconds. */
const SWEEP_MS = 1000;

/** Addresses that no socket has any more: it was reset before it was looked at. */
const GONE = "";

const BAD_REQUEST = prepared({ status: 400, body: "not an HTTP request\n" });
const TOO_LONG = prepared({ status: 431, body: "the request is too long\n" });

/** A request, and the way to answer it. */
export interface Exchange {
  readonly method: string;
  /** The path without query. */
  readonly path: string;
  /** What the header Gracegate-Hook says; undefined where there is none. */
  readonly token: string | undefined;
  readonly address: string;
  /** Writes an answer and ends the connection; later answers are ignored. */
  answer(answer: PreparedAnswer): void;
  /**
   * Keeps the connection until it is answered, whatever else comes.
   *
   * @param onGone called when it is over, answered or not
   */
  hold(onGone: () => void): void;
}

/** The server. A connection that waits for an answer does not count against the bound. */
export class OneRequestServer extends Server {
  readonly #open = new Set<Connection>();

  /**
   * @param most connections at once that have not been answered; at the bound one that waits for its own request goes,
   *   never the new one, which may be the load balancer's
   */
  constructor(most: number, handle: (exchange: Exchange) => void) {
    super({ allowHalfOpen: true, noDelay: true });
    const places = new FairPlaces<Connection>();
    this.on("connection", (socket) => {
      const connection = new Connection(socket, handle, places);
      if (connection.address === GONE) return connection.destroy();
      this.#open.add(connection);
      places.add(connection.address, connection);
      if (places.count > most) places.ofGreediest()[0]?.destroy();
      socket.once("close", () => this.#open.delete(connection));
    });
    let sweeper: NodeJS.Timeout | undefined;
    this.on("listening", () => {
      sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
    });
    this.on("close", () => clearInterval(sweeper));
  }

  /** Ends all connections, as the server of node:http does. */
  closeAllConnections(): void {
    for (const connection of this.#open) connection.destroy();
  }

  #sweep(): void {
    const since = performance.now() - REQUEST_MS;
    for (const connection of this.#open) if (connection.isOverdue(since)) connection.destroy();
  }
}

class Connection implements Exchange {
  method = "";
  path = "";
  token: string | undefined;
  readonly address: string;
  readonly #socket: Socket;
  readonly #handle: (exchange: Exchange) => void;
  readonly #places: FairPlaces<Connection>;
  /** When its time began, until it is held. */
  #since: number | undefined = performance.now();
  #head = "";
  #bytes = 0;
  #onGone: (() => void) | undefined;
  #progress: "reading" | "read" | "answered" = "reading";

  constructor(socket: Socket, handle: (exchange: Exchange) => void, places: FairPlaces<Connection>) {
    this.#socket = socket;
    this.#handle = handle;
    this.#places = places;
    this.address = socket.remoteAddress ?? GONE;
    // A check that is reset after the answer is no error.
    socket.on("error", () => {});
    socket.once("close", () => {
      places.delete(this.address, this);
      this.#onGone?.();
    });
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    // Whoever sent a whole request has been answered by now, or does not wait any more.
    socket.once("end", () => {
      if (this.#progress !== "answered") socket.destroy();
    });
  }

  answer(answer: PreparedAnswer): void {
    if (this.#progress === "answered") return;
    this.#progress = "answered";
    this.#since = performance.now();
    this.#onGone?.();
    this.#onGone = undefined;
    this.#socket.pause();
    this.#socket.end(this.method === "HEAD" ? answer.head : answer.whole, () => this.#socket.destroy());
  }

  hold(onGone: () => void): void {
    this.#since = undefined;
    this.#places.delete(this.address, this);
    this.#onGone = onGone;
  }

  isOverdue(since: number): boolean {
    return this.#since !== undefined && this.#since < since;
  }

  destroy(): void {
    this.#socket.destroy();
    this.#places.delete(this.address, this);
  }

  #receive(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#progress === "reading") this.#read(chunk);
    // It waits for its answer and goes on talking.
    if (this.#progress === "read" && this.#bytes > MOST_BYTES) this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const text = chunk.toString("latin1", 0, MOST_BYTES);
    // The end may lie across two chunks: "\r\n\r" and "\n".
    const from = Math.max(0, this.#head.length - 3);
    // Lines before a request are passed over, as RFC 9112 (2.2) asks.
    this.#head = this.#head === "" ? text.replace(/^[\r\n]+/, "") : this.#head + text;
    if (this.#head === "") return;
    if (!/^[A-Z]/.test(this.#head)) this.answer(BAD_REQUEST);
    else if (endOfHead(this.#head, from)) this.#complete();
    else if (this.#bytes > MOST_BYTES) this.answer(TOO_LONG);
  }

  #complete(): void {
    const [line = "", ...headers] = this.#head.split(/\r?\n/);
    this.#head = "";
    const [, method, target] = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(line) ?? [];
    if (method === undefined || target === undefined) {
      this.answer(BAD_REQUEST);
      return;
    }
    this.#progress = "read";
    this.method = method;
    this.path = pathOf(target);
    this.token = tokenIn(headers);
    this.#handle(this);
  }
}

function endOfHead(text: string, from: number): boolean {
  return text.includes("\r\n\r\n", from) || text.includes("\n\n", from);
}

/** The path of a request's target, without its query; a proxy in between may send the whole URL. */
export function pathOf(target: string): string {
  const [path = ""] = target.replace(/^https?:\/\/[^/?#]*/i, "").split(/[?#]/, 1);
  return path || "/";
}

const TOKEN = "gracegate-hook:";

function tokenIn(headers: readonly string[]): string | undefined {
  const header = headers.find((line) => line.slice(0, TOKEN.length).toLowerCase() === TOKEN);
  return header?.slice(TOKEN.length).trim();
}
