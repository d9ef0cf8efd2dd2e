/**
 * Reads the bodies of calls, within a bound on the memory of all that are on their way at once.
 *
 * A library that reads bodies knows only its own. A few dozen clients that send all of a body but its last byte would
 * take the memory of the container, and a body that is too large would be read to its end before it is refused. Here a
 * body counts with what has come of it. Beyond the bound the largest unfinished one is given up: a stranger who sends
 * much and never ends goes first, and the small body of a pod goes last. The API server tries again, or goes on
 * without (failurePolicy).
 */
import type { IncomingMessage, ServerResponse } from "node:http";

/** Largest body that is read, bytes: a review holds an object of up to 3 MiB twice. controller-runtime has the same. */
export const MAX_BODY = 7 * 1024 * 1024;

/** What has come of all bodies on their way, at most, bytes: nine of the largest. */
export const MAX_BODIES = 64 * 1024 * 1024;

/** A client that was refused has this long to read why, milliseconds; nothing more is read from it. */
const FAREWELL_MS = 1000;

/** Why a body was not read. */
export type Unread = "too-large" | "shed" | "aborted";

interface Held {
  bytes: number;
  give(reason: Unread): void;
}

/** The bodies of one server. */
export class Bodies {
  readonly #bound: number;
  /** Those that have not come to their end. */
  readonly #unfinished = new Set<Held>();
  #bytes = 0;

  /** @param bound bytes that all bodies on their way may have together */
  constructor(bound: number = MAX_BODIES) {
    this.#bound = bound;
  }

  /**
   * Reads one body. What has come of it counts until the answer is on its way or the connection has gone.
   *
   * @param done is called once; of what is given up or too large nothing more is read
   */
  read(request: IncomingMessage, response: ServerResponse, done: (body: Buffer | Unread) => void): void {
    if (Number(request.headers["content-length"] ?? 0) > MAX_BODY) {
      done("too-large");
      return;
    }
    const chunks: Buffer[] = [];
    const held: Held = {
      bytes: 0,
      give: (reason) => {
        if (!this.#unfinished.delete(held)) return;
        request.off("data", take);
        request.pause();
        this.#release(held);
        chunks.length = 0;
        done(reason);
      },
    };
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      held.bytes += chunk.length;
      this.#bytes += chunk.length;
      if (held.bytes > MAX_BODY) held.give("too-large");
      while (this.#bytes > this.#bound && this.#unfinished.size > 0) this.#largest().give("shed");
    };
    this.#unfinished.add(held);
    request.on("data", take);
    request.once("end", () => {
      if (!this.#unfinished.delete(held)) return;
      const [only = Buffer.alloc(0), ...more] = chunks;
      const body = more.length === 0 ? only : Buffer.concat(chunks, held.bytes);
      chunks.length = 0;
      done(body);
    });
    response.once("close", () => {
      held.give("aborted");
      this.#release(held);
    });
  }

  #release(held: Held): void {
    this.#bytes -= held.bytes;
    held.bytes = 0;
  }

  #largest(): Held {
    let largest: Held | undefined;
    for (const one of this.#unfinished) if (largest === undefined || one.bytes > largest.bytes) largest = one;
    if (largest === undefined) throw new Error("no body is on its way");
    return largest;
  }
}

/**
 * Ends the connection of a client that may still be sending: it can read the answer, and nothing more is read from it.
 *
 * Node destroys a connection once its last answer is written. With data of the client unread that is a reset, which takes
 * the answer away on its way, so the destruction waits.
 */
export function farewell(response: ServerResponse): void {
  const { socket } = response;
  response.setHeader("Connection", "close");
  if (socket === null) return;
  socket.pause();
  socket.destroySoon = () => socket.end();
  const timer = setTimeout(() => socket.destroy(), FAREWELL_MS);
  socket.once("close", () => clearTimeout(timer));
}
