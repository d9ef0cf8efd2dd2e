/**
 * Held connections: only one that was there and answered to the end is ok.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, test } from "node:test";
import { hold } from "../../src/probe/hold.ts";
import { Recorder } from "../../src/probe/recorder.ts";
import type { TcpScenario } from "../../src/probe/run-spec.ts";
import { specFor } from "./run-specs.ts";

const scenario: TcpScenario = {
  name: "tcp",
  connections: 3,
  durationMs: 600,
  intervalMs: 100,
  openRate: 1000,
  echoes: true,
};

/** Echoes so many pieces of each connection, and then reads on in silence. */
const echo = (pieces: number) => (socket: Socket) => {
  let seen = 0;
  socket.on("data", (piece) => {
    seen += 1;
    if (seen <= pieces) socket.write(piece);
  });
};

interface Case {
  readonly name: string;
  readonly serve: (socket: Socket) => void;
  readonly changes?: Partial<TcpScenario>;
  readonly timeoutMs: number;
  readonly expected: { readonly ok: number; readonly timeout: number };
}

const cases: readonly Case[] = [
  { name: "echoes to the end are ok", serve: echo(1000), timeoutMs: 5000, expected: { ok: 3, timeout: 0 } },
  { name: "an echo owed for a moment is ok", serve: echo(0), timeoutMs: 5000, expected: { ok: 3, timeout: 0 } },
  {
    name: "an echo owed for over 2 s at the end is lost",
    serve: echo(1),
    changes: { durationMs: 2600 },
    timeoutMs: 5000,
    expected: { ok: 0, timeout: 3 },
  },
  {
    name: "a later echo that does not come within the timeout is lost",
    serve: echo(1),
    changes: { intervalMs: 400, durationMs: 900 },
    timeoutMs: 300,
    expected: { ok: 0, timeout: 3 },
  },
  {
    name: "a peer that reads nothing is ok without echo, and does not keep the process",
    serve: (socket) => socket.pause(),
    changes: { echoes: false },
    timeoutMs: 300,
    expected: { ok: 3, timeout: 0 },
  },
];

describe("held connections", { concurrency: 8 }, () => {
  for (const { name, serve, changes, timeoutMs, expected } of cases) {
    test(name, async () => {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on("error", () => undefined);
        serve(socket);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      assert.deepEqual(await count(`tcp://127.0.0.1:${port}`, { ...scenario, ...changes }, timeoutMs), expected);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
  }

  test("a connection that is still connecting at the end is a timeout", async () => {
    // A backlog that is full drops further SYNs, as a firewall does.
    const full = await fullServer();
    const { timeout, ok } = await count(`tcp://127.0.0.1:${full.port}`, scenario, 5000);
    full.stop();
    assert.deepEqual({ timeout, ok }, { timeout: 3, ok: 0 });
  });
});

/** Holds connections and counts how they ended. */
async function count(target: string, tcp: TcpScenario, timeoutMs: number): Promise<{ ok: number; timeout: number }> {
  const recorder = new Recorder();
  await hold({ ...specFor([target], tcp), timeoutMs }, tcp, recorder, new AbortController().signal);
  const { ok, timeout } = recorder.totals().outcomes;
  return { ok, timeout };
}

/** A server that listens and never accepts, with its backlog full. */
async function fullServer(): Promise<{ port: number; stop(): void }> {
  const program = `
    const server = require("node:net").createServer();
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
      require("node:fs").writeSync(1, String(server.address().port));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000);
    });`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [text] = await once(child.stdout, "data");
  const port = Number(text);
  const fillers = Array.from({ length: 4 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  await once(fillers[0] as Socket, "connect");
  return {
    port,
    stop() {
      for (const filler of fillers) filler.destroy();
      child.kill("SIGKILL");
    },
  };
}
