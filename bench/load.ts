/**
 * A closed-loop load over TLS with keep-alive: as many requests at a time as there are connections.
 *
 * It writes prepared bytes to raw sockets, so that the client costs little on the core that it shares with nothing else.
 */
import { connect, type TLSSocket } from "node:tls";

/** What a load measured. */
export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requests: number;
}

/** What to send, where, how long. */
export interface Load {
  readonly port: number;
  readonly path: string;
  /** Sent in turn. */
  readonly bodies: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /** Called with the body of the first answer. */
  readonly check?: (body: string) => void;
}

/** Runs a load, after up to two seconds of the same to warm up; with 0 seconds, one request a connection. */
export async function run(load: Load): Promise<LoadResult> {
  if (load.seconds > 0) await phase({ ...load, seconds: Math.min(2, load.seconds) });
  return phase(load);
}

async function phase({ port, path, bodies, connections, seconds, check }: Load): Promise<LoadResult> {
  const requests = bodies.map((body) =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, */*\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  );
  let next = 0;
  const latencies: number[] = [];
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const started = performance.now();
  const end = started + seconds * 1000;
  let isChecked = check === undefined;
  await Promise.all(
    sockets.map(async (socket) => {
      do {
        const sent = performance.now();
        const answer = await exchange(socket, requests[next++ % requests.length] ?? Buffer.alloc(0));
        latencies.push(performance.now() - sent);
        if (!isChecked) {
          isChecked = true;
          check?.(answer);
        }
      } while (performance.now() < end);
      socket.destroy();
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return { perSecond: latencies.length / elapsed, p50Ms: at(0.5), p99Ms: at(0.99), requests: latencies.length };
}

function open(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => resolve(socket));
    socket.once("error", reject);
    socket.once("close", () => {
      if (!socket.destroyed) throw new Error("the server closed a connection");
    });
    socket.setNoDelay(true);
  });
}

function exchange(socket: TLSSocket, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let needed = -1;
    let have = 0;
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      have += chunk.length;
      if (needed === -1) {
        const head = Buffer.concat(chunks).toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end === -1) return;
        const length = /content-length: ([0-9]+)/i.exec(head)?.[1];
        if (length === undefined || !head.startsWith("HTTP/1.1 200")) {
          reject(new Error(`unexpected answer: ${head.slice(0, 200)}`));
          return;
        }
        needed = end + 4 + Number(length);
      }
      if (have < needed) return;
      socket.off("data", onData);
      const text = Buffer.concat(chunks).toString();
      resolve(text.slice(text.indexOf("\r\n\r\n") + 4));
    };
    socket.on("data", onData);
    socket.write(request);
  });
}
