/**
 * The `/drained` requests that wait for CLOSED: the proxy's preStop hook, sent by the kubelet.
 *
 * The kubelet puts no timeout on it and takes any status, so the proxy serves for exactly as long as the answer takes.
 * It may come before hc's own SIGTERM or after it, and again when the kubelet was restarted. Without any drain it is
 * answered after a few seconds, so that a restart of the proxy's container alone does not hang.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type PreparedAnswer, prepared } from "./answers.ts";
import { write } from "./write-answer.ts";

/** Requests that are held at once. */
const MOST = 8;

/** How long a request waits for a drain to begin, milliseconds: SIGTERM and hook are at most 50 ms apart. */
const WITHOUT_DRAIN_MS = 5000;

const DRAINED = prepared({ status: 200, body: "CLOSED\n" });
const NO_DRAIN = prepared({ status: 503, body: "no drain is under way\n" });
const TOO_MANY = prepared({ status: 503, body: "too many requests wait already\n" });

/** What the drain is doing, as far as a held request depends on it. */
export type DrainProgress = "none" | "under-way" | "over";

/** The requests that wait. */
export class HeldRequests {
  readonly #held = new Map<ServerResponse, NodeJS.Timeout>();
  readonly #progress: () => DrainProgress;

  /** @param progress asked for each request, and again when it has waited for a drain to begin */
  constructor(progress: () => DrainProgress) {
    this.#progress = progress;
  }

  /** How many wait. */
  get count(): number {
    return this.#held.size;
  }

  /** Whether a connection carries a request that waits. */
  has(socket: Socket): boolean {
    return [...this.#held.keys()].some((response) => response.socket === socket);
  }

  /** Answers a request, or lets it wait. */
  add(response: ServerResponse): void {
    const progress = this.#progress();
    if (progress === "over") {
      write(response, DRAINED);
      return;
    }
    if (this.#held.size >= MOST) {
      // Before a drain the oldest waits in vain; in a drain the kubelet's own is among those that were first.
      if (progress === "under-way") {
        write(response, TOO_MANY);
        return;
      }
      const [oldest] = this.#held.keys();
      if (oldest !== undefined) this.#answer(oldest, NO_DRAIN);
    }
    const timer = setTimeout(() => {
      if (this.#progress() === "none") this.#answer(response, NO_DRAIN);
    }, WITHOUT_DRAIN_MS);
    this.#held.set(response, timer);
    response.once("close", () => this.#forget(response));
  }

  /** Answers all of them: the drain is over, or was taken back. */
  release(): void {
    const answer = this.#progress() === "over" ? DRAINED : NO_DRAIN;
    for (const response of [...this.#held.keys()]) this.#answer(response, answer);
  }

  #answer(response: ServerResponse, answer: PreparedAnswer): void {
    this.#forget(response);
    write(response, answer);
  }

  #forget(response: ServerResponse): void {
    clearTimeout(this.#held.get(response));
    this.#held.delete(response);
  }
}
