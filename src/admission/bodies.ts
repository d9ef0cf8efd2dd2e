/**
 * Reads the bodies of calls, within a bound on the memory of all that are on their way at once.
 *
 * A library that reads bodies knows only its own. A few dozen clients that send all of a body but its last byte would
 * take the memory of the container, and a body that is too large would be read to its end before it is refused. Here a
 * body counts with the memory of what has come of it. Beyond the bound unfinished ones are given up, those first that
 * stand still and belong to whoever sends most: see crowd.ts. The API server tries again, or goes on without
 * (failurePolicy).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { BodyMemory } from "./body-memory.ts";
import { firstToGo, type Holder } from "./crowd.ts";

/** Largest body that is read, bytes: a review holds an object of up to 3 MiB twice. controller-runtime has the same. */
export const MAX_BODY = 7 * 1024 * 1024;

/** The memory of all bodies on their way, at most, bytes: nine of the largest. */
export const MAX_BODIES = 64 * 1024 * 1024;

/** A client that was refused has this long to read why, milliseconds; nothing more is read from it. */
const FAREWELL_MS = 1000;

/** Why a body was not read. */
export type Unread = "too-large" | "shed" | "aborted";

interface Held extends Holder {
  weight: number;
  since: number;
  give(reason: Unread): void;
}

/** The bodies of one server. */
export class Bodies {
  readonly #bound: number;
  /** Those that have not come to their end. */
  readonly #unfinished = new Set<Held>();
  #bytes = 0;

  /** @param bound bytes that all bodies on their way may take together */
  constructor(bound: number = MAX_BODIES) {
    this.#bound = bound;
  }

  /**
   * Reads one body.
   *
   * @param done is called once, and must not keep the body; of what is given up or too large nothing more is read
   */
  read(request: IncomingMessage, response: ServerResponse, done: (body: Buffer | Unread) => void): void {
    const expected = Number(request.headers["content-length"] ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(expected) && expected > MAX_BODY) {
      done("too-large");
      return;
    }
    const memory = new BodyMemory(expected);
    let whole: Buffer | undefined;
    const end = (body: Buffer | Unread) => {
      if (!this.#unfinished.delete(held)) return;
      this.#bytes -= held.weight;
      request.off("data", take);
      done(body);
      memory.free();
    };
    const held: Held = {
      address: request.socket.remoteAddress ?? "",
      weight: 0,
      since: performance.now(),
      give: (reason) => {
        if (this.#unfinished.has(held)) request.pause();
        end(reason);
      },
    };
    const take = (chunk: Buffer) => {
      // Most come in one piece, which is used as it is.
      if (chunk.length === expected) {
        whole = chunk;
        return;
      }
      memory.add(chunk);
      this.#bytes += memory.size - held.weight;
      held.weight = memory.size;
      held.since = performance.now();
      if (memory.length > MAX_BODY) held.give("too-large");
      while (this.#bytes > this.#bound) firstToGo(this.#unfinished)?.give("shed");
    };
    this.#unfinished.add(held);
    request.on("data", take);
    request.once("end", () => end(whole ?? memory.bytes));
    response.once("close", () => held.give("aborted"));
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
