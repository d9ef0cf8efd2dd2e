/**
 * Held WebSockets: a close frame, a refused upgrade and a dropped connection are losses, each in its own class.
 */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { describe, test } from "node:test";
import { type WebSocket, WebSocketServer } from "ws";
import { hold } from "../../src/probe/hold.ts";
import { Recorder } from "../../src/probe/recorder.ts";
import type { RunSpec, TcpScenario } from "../../src/probe/run-spec.ts";
import { protocolOf } from "../../src/probe/words.ts";
import { specFor } from "./run-specs.ts";

// A lost one is opened again after an interval: here after the end.
const scenario: TcpScenario = {
  name: "tcp",
  connections: 3,
  durationMs: 2000,
  intervalMs: 2100,
  openRate: 1000,
  echoes: true,
};

const echo = (socket: WebSocket) => {
  socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
};

/** The opcode of a close frame. */
const CLOSE = 8;

interface Case {
  readonly name: string;
  readonly path?: string;
  readonly serve: (socket: WebSocket) => void;
  readonly changes?: Partial<TcpScenario>;
  readonly timeoutMs?: number;
  readonly expected: Readonly<Record<string, number>>;
}

const cases: readonly Case[] = [
  {
    name: "echoes to the end are ok, at probe-target's path",
    serve: echo,
    changes: { intervalMs: 100 },
    expected: { ok: 3 },
  },
  { name: "a refused upgrade is told by its status", path: "/other", serve: echo, expected: { status: 3 } },
  { name: "a close frame is a loss", serve: (socket) => socket.close(1001), expected: { closed: 3 } },
  {
    name: "a connection that is dropped without one is a loss",
    serve: (socket) => socket.terminate(),
    expected: { closed: 3 },
  },
  {
    name: "a message that does not come back within the timeout is a loss",
    serve: () => undefined,
    timeoutMs: 500,
    expected: { timeout: 3 },
  },
  {
    name: "one that sends nothing back is ok without echo",
    serve: () => undefined,
    changes: { echoes: false },
    expected: { ok: 3 },
  },
];

describe("held WebSockets", { concurrency: 8 }, () => {
  for (const { name, path = "", serve, changes, timeoutMs = 10_000, expected } of cases) {
    test(name, async () => {
      const server = await startServer((request, socket, head, sockets) => {
        if (request.url === "/ws") sockets.handleUpgrade(request, socket, head, serve);
        else socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      });
      const held = { ...scenario, ...changes };
      const spec = { ...specFor([`${server.url}${path}`], held), timeoutMs };
      assert.equal(protocolOf(spec), "WebSocket");
      assert.deepEqual(await outcomesOf(spec, held), expected);
      await server.stop();
    });
  }

  test("a peer that answers the close frame with something else is not waited for", { timeout: 15_000 }, async () => {
    const thrownAway: Promise<unknown>[] = [];
    const server = await startServer((request, socket, head, sockets) => {
      sockets.handleUpgrade(request, socket, head, () => {
        socket.removeAllListeners().on("data", (frame: Buffer) => {
          if (((frame[0] ?? 0) & 0x0f) !== CLOSE) return;
          // A connection that is half closed takes what is written; one that was thrown away resets.
          const writing = setInterval(() => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"), 20);
          socket.once("close", () => clearInterval(writing));
        });
        thrownAway.push(new Promise((resolve) => socket.once("error", resolve)));
      });
    });
    const held = { ...scenario, durationMs: 500, echoes: false };
    assert.deepEqual(await outcomesOf(specFor([server.url], held), held), { ok: 3 });
    // Of itself ws gives such a peer 30 s.
    await Promise.all(thrownAway);
    await server.stop();
  });
});

async function outcomesOf(spec: RunSpec, held: TcpScenario): Promise<Readonly<Record<string, number>>> {
  const recorder = new Recorder();
  await hold(spec, held, recorder, new AbortController().signal);
  return Object.fromEntries(Object.entries(recorder.totals().outcomes).filter(([, count]) => count > 0));
}

async function startServer(
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer, sockets: WebSocketServer) => void,
): Promise<{ readonly url: string; stop(): Promise<unknown> }> {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => upgrade(request, socket, head, sockets));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      for (const socket of sockets.clients) socket.terminate();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
