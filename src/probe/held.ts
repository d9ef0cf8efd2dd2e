/**
 * One connection that is held, over TCP and over a WebSocket alike: when a line goes out, how long its echo may take, and
 * how it all ends.
 */
import type { LookupFunction } from "node:net";
import { errorKind, type Kind, type Phase } from "./outcome.ts";
import type { RunSpec, TcpScenario } from "./run-spec.ts";
import type { Target } from "./target.ts";

/** What is sent. Short, so that 10,000 connections cost little. */
export const TEXT = "gracegate probe";

/** An echo owed at the end is overdue after two intervals, and never before this. */
const LEAST_OVERDUE_MS = 2000;

/** Time that a peer has to answer a regular end, before the connection is thrown away: it must not keep the process. */
const FAREWELL_MS = 500;

/** What one connection is held for. */
export interface Holding {
  readonly target: Target;
  readonly scenario: TcpScenario;
  readonly spec: RunSpec;
  /** The time is up, or somebody interrupts the run. */
  readonly over: AbortSignal;
  readonly lookup: LookupFunction;
  /** Hears of each echo, and how long it took in milliseconds. */
  echoed(ms: number): void;
}

/** The end of one connection. */
export interface SessionEnd {
  readonly kind: Kind;
  readonly detail: string;
  readonly phase: Phase;
  /** Bytes received. */
  readonly bytes: number;
}

/** What a session does with its connection. */
export interface Wire {
  /** Sends a line. */
  send(): void;
  /** Ends it as a client does that has had enough. */
  close(): void;
  /** Throws it away. */
  destroy(): void;
  /** Bytes received so far. */
  bytes(): number;
}

/** The session on one connection, which tells it what happens. */
export class Session {
  /** How it ended; never rejects. */
  readonly ended: Promise<SessionEnd>;
  readonly #holding: Holding;
  readonly #wire: Wire;
  readonly #resolve: (end: SessionEnd) => void;
  readonly #ticks: NodeJS.Timeout;
  readonly #finish = () => this.#timeIsUp();
  #phase: Phase = "connect";
  #isOver = false;
  #isOwed = false;
  #sentMs = performance.now();
  // Each wait has a timer of its own: one that was cleared cannot be refreshed.
  #deadline: NodeJS.Timeout;

  constructor(holding: Holding, wire: Wire) {
    this.#holding = holding;
    this.#wire = wire;
    const { promise, resolve } = Promise.withResolvers<SessionEnd>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#deadline = this.#startDeadline();
    this.#ticks = setInterval(() => this.#tick(), holding.scenario.intervalMs);
    holding.over.addEventListener("abort", this.#finish, { once: true });
    if (holding.over.aborted) this.#timeIsUp();
  }

  /** The connection is there: from here on both sides have state in it, which no new one brings back. */
  opened(): void {
    if (this.#isOver) return;
    this.#phase = "body";
    clearTimeout(this.#deadline);
    this.#tick();
  }

  /** A whole line has come back; nothing where none was owed. */
  echo(): void {
    if (!this.#isOwed || this.#isOver) return;
    this.#isOwed = false;
    clearTimeout(this.#deadline);
    this.#holding.echoed(performance.now() - this.#sentMs);
  }

  /** The connection is gone, or of no use any more: what is left of it after the session's own end is thrown away too. */
  lost(kind: Kind, detail = ""): void {
    if (this.#isOver) {
      clearTimeout(this.#deadline);
      this.#wire.destroy();
    } else this.#end(kind, detail);
  }

  /** The connection broke with an error. */
  failed(error: NodeJS.ErrnoException): void {
    const kind = errorKind(error);
    this.lost(kind, kind === "error" ? (error.code ?? error.message) : "");
  }

  #tick(): void {
    if (this.#phase === "connect" || this.#isOwed) return;
    this.#sentMs = performance.now();
    this.#wire.send();
    if (!this.#holding.scenario.echoes) return;
    this.#isOwed = true;
    this.#deadline = this.#startDeadline();
  }

  #startDeadline(): NodeJS.Timeout {
    return setTimeout(() => this.#end("timeout"), this.#holding.spec.timeoutMs);
  }

  #timeIsUp(): void {
    const isOpen = this.#phase !== "connect";
    this.#end(isOpen && !(this.#isOwed && this.#isOverdue()) ? "ok" : "timeout");
  }

  #isOverdue(): boolean {
    return performance.now() - this.#sentMs > Math.max(2 * this.#holding.scenario.intervalMs, LEAST_OVERDUE_MS);
  }

  #end(kind: Kind, detail = ""): void {
    this.#isOver = true;
    clearTimeout(this.#deadline);
    clearInterval(this.#ticks);
    this.#holding.over.removeEventListener("abort", this.#finish);
    this.#resolve({ kind, detail, phase: this.#phase, bytes: this.#wire.bytes() });
    // A regular end is the client's own; a connection that broke is thrown away.
    if (kind === "ok") this.#sayFarewell();
    else this.#wire.destroy();
  }

  #sayFarewell(): void {
    this.#deadline = setTimeout(() => this.#wire.destroy(), FAREWELL_MS);
    this.#wire.close();
  }
}
