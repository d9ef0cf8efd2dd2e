/**
 * `tcp`: connections that are held open, each sending a line every interval and expecting it back; with ws:// the line
 * is a message of a WebSocket.
 *
 * One connection is one count: ok when it lived until the run ended it, with no echo overdue. A lost one is opened again
 * after an interval, as a client would. Latency is that of the echoes.
 */
import { connect } from "node:net";
import { type Holding, Session, type SessionEnd, TEXT } from "./held.ts";
import { holdWebSocket } from "./hold-websocket.ts";
import { sharedLookup } from "./lookup.ts";
import type { Recorder } from "./recorder.ts";
import type { RunSpec, TcpScenario } from "./run-spec.ts";
import { keepSchedule, type Punctuality, pause } from "./schedule.ts";
import type { Target } from "./target.ts";

/** What is sent. */
const LINE = Buffer.from(`${TEXT}\n`);

/** Opens the connections, holds them until the time is up, and closes them. */
export async function hold(
  spec: RunSpec,
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
    const target = spec.targets[index % spec.targets.length];
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
    const holding = { target, scenario, spec, over, lookup, echoed };
    const { kind, phase, bytes, detail } = await (target.scheme === "tcp" ? holdTcp : holdWebSocket)(holding);
    const outcome = { kind, detail, phase, bytes, reused: false, backend: undefined };
    recorder.end(target.label, { scheduledMs: undefined, startedMs }, signal.aborted ? undefined : outcome);
  }
}

/** Holds one connection until it breaks or the time is up. */
function holdTcp(holding: Holding): Promise<SessionEnd> {
  const { target, lookup } = holding;
  const socket = connect({ host: target.host, port: target.port, lookup });
  let owed = 0;
  const session = new Session(holding, {
    send: () => {
      owed = LINE.length;
      socket.write(LINE);
    },
    // FIN is the client's regular end; when it is out there is nothing to wait for.
    close: () => void socket.end(() => socket.destroy()),
    destroy: () => void socket.destroy(),
    bytes: () => socket.bytesRead,
  });
  socket.on("connect", () => session.opened());
  socket.on("data", (piece) => {
    owed -= piece.length;
    if (owed <= 0) session.echo();
  });
  socket.on("end", () => session.lost("closed"));
  socket.on("error", (error) => session.failed(error));
  socket.on("close", () => session.lost("closed"));
  return session.ended;
}
