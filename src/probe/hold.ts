/**
 * `tcp`: connections that are held open, each sending a line every interval and expecting it back; with ws:// the line
 * is a message of a WebSocket.
 *
 * One connection is one count: ok when it lived until the run ended it, with no echo overdue. A lost one is opened again
 * after an interval, as a client would. Latency is that of the echoes.
 */
import { connect, type LookupFunction, type Socket } from "node:net";
import { isOverdue, type SessionEnd } from "./held.ts";
import { holdWebSocket } from "./hold-websocket.ts";
import { sharedLookup } from "./lookup.ts";
import { errorKind, type Kind, type Phase } from "./outcome.ts";
import type { Plan, TcpScenario } from "./plan.ts";
import type { Recorder } from "./recorder.ts";
import { keepSchedule, type Punctuality, pause } from "./schedule.ts";
import type { Target } from "./target.ts";

/** What is sent. Short, so that 10,000 connections cost little. */
const LINE = Buffer.from("gracegate probe\n");

/** Time that a peer has to take the FIN of a connection, before it is thrown away. */
const FAREWELL_MS = 500;

/** Opens the connections, holds them until the time is up, and closes them. */
export async function hold(
  plan: Plan,
  scenario: TcpScenario,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<Punctuality> {
  const { connections, durationMs, openRate } = scenario;
  const over = AbortSignal.any([signal, AbortSignal.timeout(durationMs)]);
  const held: Promise<void>[] = [];
  const lookup = sharedLookup();
  const opening = { rate: openRate, durationMs: (connections / openRate) * 1000, signal: over };
  const punctuality = await keepSchedule(opening, (index) => {
    const target = plan.targets[index % plan.targets.length];
    if (target !== undefined) held.push(keepOpen(target));
  });
  await Promise.all(held);
  return punctuality;

  async function keepOpen(target: Target): Promise<void> {
    while (!over.aborted) {
      await session(target);
      await pause(scenario.intervalMs, over);
    }
  }

  async function session(target: Target): Promise<void> {
    recorder.start();
    const startedMs = performance.now();
    const echoed = (ms: number) => recorder.echo(ms);
    const { kind, phase, bytes, detail } =
      target.scheme === "tcp"
        ? await holdOne(target, scenario, plan.timeoutMs, over, lookup, echoed)
        : await holdWebSocket({ target, scenario, plan, over, lookup, echoed });
    const outcome = { kind, detail, phase, bytes, reused: false, backend: undefined };
    recorder.end(target.label, { scheduledMs: undefined, startedMs }, signal.aborted ? undefined : outcome);
  }
}

/** Holds one connection until it breaks or the time is up. */
function holdOne(
  target: Target,
  { intervalMs, echoes }: TcpScenario,
  timeoutMs: number,
  over: AbortSignal,
  lookup: LookupFunction,
  echoed: (ms: number) => void,
): Promise<SessionEnd> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ host: target.host, port: target.port, lookup });
    let phase: Phase = "connect";
    let owed = 0;
    let sentMs = performance.now();
    // Each wait has a timer of its own: one that was cleared cannot be refreshed.
    let deadline = setTimeout(end, timeoutMs, "timeout");
    const ticks = setInterval(tick, intervalMs);

    function tick(): void {
      if (phase === "connect" || owed > 0) return;
      sentMs = performance.now();
      socket.write(LINE);
      if (!echoes) return;
      owed = LINE.length;
      deadline = setTimeout(end, timeoutMs, "timeout");
    }

    function end(kind: Kind, detail = ""): void {
      clearTimeout(deadline);
      clearInterval(ticks);
      over.removeEventListener("abort", finish);
      // FIN is the client's own regular end; a connection that broke is thrown away.
      if (kind === "ok") sayFarewell(socket);
      else socket.destroy();
      resolve({ kind, detail, phase, bytes: socket.bytesRead });
    }

    function finish(): void {
      end(phase === "connect" || (owed > 0 && isOverdue(sentMs, intervalMs)) ? "timeout" : "ok");
    }

    socket.on("connect", () => {
      // From here on both sides have state in the connection, which no new one brings back.
      phase = "body";
      clearTimeout(deadline);
      tick();
    });
    socket.on("data", (piece) => {
      if (owed === 0) return;
      owed = Math.max(0, owed - piece.length);
      if (owed > 0) return;
      clearTimeout(deadline);
      echoed(performance.now() - sentMs);
    });
    socket.on("end", () => end("closed"));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      const kind = errorKind(error);
      end(kind, kind === "error" ? (error.code ?? error.message) : "");
    });
    over.addEventListener("abort", finish, { once: true });
    if (over.aborted) finish();
  });
}

/** Ends a connection by FIN; one whose peer reads nothing must not keep the process. */
function sayFarewell(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), FAREWELL_MS);
  socket.on("close", () => clearTimeout(timer));
  socket.end(() => socket.destroy());
}
