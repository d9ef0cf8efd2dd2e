/**
 * One WebSocket that is held open: what gateways and balancers find hardest to let go, since nothing but its two ends
 * ends it.
 *
 * A close frame from the other side (1001, going away) is as much a loss as a FIN: this client did not want to go.
 */
import type { LookupFunction } from "node:net";
import { WebSocket } from "ws";
import { isOverdue, type SessionEnd } from "./held.ts";
import { errorKind, type Kind, type Phase } from "./outcome.ts";
import type { Plan, TcpScenario } from "./plan.ts";
import type { Target } from "./target.ts";

/** What is sent. */
const MESSAGE = "gracegate probe";

/** Where probe-target answers WebSockets. */
const PATH = "/ws";

/** Time that a peer has to answer a close frame, before the connection is thrown away. */
const FAREWELL_MS = 500;

/** What one WebSocket needs. */
export interface WebSocketHold {
  readonly target: Target;
  readonly scenario: TcpScenario;
  readonly plan: Plan;
  /** The time is up, or somebody interrupts the run. */
  readonly over: AbortSignal;
  readonly lookup: LookupFunction;
  echoed(ms: number): void;
}

/** Holds one WebSocket until it breaks or the time is up. */
export function holdWebSocket({ target, scenario, plan, over, lookup, echoed }: WebSocketHold): Promise<SessionEnd> {
  const { intervalMs, echoes } = scenario;
  const { timeoutMs, client } = plan;
  return new Promise((resolve) => {
    const host = target.host.includes(":") ? `[${target.host}]` : target.host;
    const socket = new WebSocket(`${target.scheme}://${host}:${target.port}${target.path ?? PATH}`, {
      headers: client.headers,
      perMessageDeflate: false,
      rejectUnauthorized: !client.insecure,
      lookup,
      ...(client.ca === undefined ? {} : { ca: client.ca }),
    });
    let phase: Phase = "connect";
    let bytes = 0;
    let isOwed = false;
    let sentMs = performance.now();
    let deadline = setTimeout(end, timeoutMs, "timeout");
    const ticks = setInterval(tick, intervalMs);

    function tick(): void {
      if (phase === "connect" || isOwed) return;
      sentMs = performance.now();
      socket.send(MESSAGE);
      if (!echoes) return;
      isOwed = true;
      deadline = setTimeout(end, timeoutMs, "timeout");
    }

    function end(kind: Kind, detail = ""): void {
      clearTimeout(deadline);
      clearInterval(ticks);
      over.removeEventListener("abort", finish);
      if (kind === "ok") sayFarewell(socket);
      else socket.terminate();
      resolve({ kind, detail, phase, bytes });
    }

    function finish(): void {
      end(phase === "connect" || (isOwed && isOverdue(sentMs, intervalMs)) ? "timeout" : "ok");
    }

    socket.on("open", () => {
      phase = "body";
      clearTimeout(deadline);
      tick();
    });
    socket.on("message", (data: Buffer) => {
      bytes += data.length;
      if (!isOwed) return;
      isOwed = false;
      clearTimeout(deadline);
      echoed(performance.now() - sentMs);
    });
    // The upgrade was answered as any request is: with a status of the gateway's.
    socket.on("unexpected-response", (_, { statusCode = 0 }) => {
      end(statusCode >= 500 ? "5xx" : "status", String(statusCode));
    });
    socket.on("close", (code) => end("closed", code === 1006 ? "" : String(code)));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      const kind = errorKind(error);
      end(kind, kind === "error" ? (error.code ?? error.message) : "");
    });
    over.addEventListener("abort", finish, { once: true });
    if (over.aborted) finish();
  });
}

/** Ends a WebSocket by a close frame; one whose peer does not answer it must not keep the process. */
function sayFarewell(socket: WebSocket): void {
  const timer = setTimeout(() => socket.terminate(), FAREWELL_MS);
  socket.on("close", () => clearTimeout(timer));
  socket.close(1000);
}
