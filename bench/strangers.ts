/**
 * What somebody without any rights can send to the webhook to take its memory. Each kind runs for a while and lets go.
 */
import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { connect } from "node:tls";
import { reviewOf } from "../scripts/review-of.ts";
import { gatewayPod } from "../test/integration/pods.ts";

const MAX_BODY = 7 * 1024 * 1024;
const JSON_HEAD = "Host: x\r\nContent-Type: application/json\r\n";

/** One kind of attack. */
export interface Attack {
  readonly name: string;
  run(port: number): Promise<void>;
}

/** All kinds. */
export const ATTACKS: readonly Attack[] = [
  {
    name: "60 bodies of 7 MiB but for the last byte",
    run: (port) =>
      crowd(60, port, (socket) => body(socket, `Content-Length: ${MAX_BODY}`, Buffer.alloc(MAX_BODY - 1, 97))),
  },
  {
    name: "60 bodies that come byte by byte",
    run: (port) =>
      crowd(60, port, (socket) => body(socket, "Transfer-Encoding: chunked", "1\r\n[\r\n".repeat(200_000))),
  },
  {
    name: "40 chunked bodies without an end",
    run: (port) =>
      crowd(40, port, (socket) =>
        body(socket, "Transfer-Encoding: chunked", `1000000\r\n${"a".repeat(16 * MAX_BODY)}`),
      ),
  },
  { name: "2,000 connections that idle", run: (port) => crowd(2000, port, async () => undefined) },
  {
    name: "2,000 connections that never begin the handshake",
    run: (port) => crowd(2000, port, async () => undefined, plain),
  },
  {
    name: "500 heads that never end",
    run: (port) => crowd(500, port, (socket) => write(socket, `GET / HTTP/1.1\r\nX: ${"h".repeat(15_000)}`)),
  },
  {
    name: "300 pipelines of 3,000 calls whose answers nobody reads",
    run: (port) =>
      crowd(300, port, (socket) => {
        socket.pause();
        return write(socket, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3000));
      }),
  },
  {
    name: "400 reviews, 20 on a connection, whose answers nobody reads",
    run: (port) => {
      const text = review({ "proxy.istio.io/config": `# ${"z".repeat(15_000)}\nconcurrency: 2\n` });
      return crowd(400, port, (socket) => {
        socket.pause();
        return write(socket, post(text).repeat(20));
      });
    },
  },
  { name: "bodies of 7 MiB of {}", run: (port) => each(port, `[${"{},".repeat(2_400_000)}{}]`, 6) },
  { name: "bodies of 7 MiB of []", run: (port) => each(port, `[${"[],".repeat(2_400_000)}[]]`, 6) },
  ...["{}", '""', '{"name":"v"}', '{"a":[]}'].flatMap((element) =>
    ["tolerations", "volumes", "containers"].map((list) => ({
      name: `pods of 1.4 MiB of ${list}, each ${element}`,
      run: (port: number) => each(port, pod(list, element, 1.4 * 2 ** 20), 3),
    })),
  ),
  {
    name: "2,000 annotations, each another 15 kB of flow lists",
    run: async (port) => {
      for (let index = 0; index < 2000; index += 20) {
        await Promise.all(
          Array.from({ length: 20 }, (_, offset) =>
            each(port, review({ "proxy.istio.io/config": `a${index + offset}: [${"[],".repeat(5000)}[]]\n` }), 1),
          ),
        );
      }
    },
  },
];

/** Connections that do something together, stay a moment, and go. */
async function crowd(
  count: number,
  port: number,
  act: (socket: Socket) => Promise<unknown>,
  open: (port: number) => Promise<Socket> = secure,
): Promise<void> {
  const sockets: Socket[] = [];
  const acts: Promise<unknown>[] = [];
  for (let opened = 0; opened < count; opened += 50) {
    const batch = await Promise.all(Array.from({ length: Math.min(50, count - opened) }, () => open(port)));
    sockets.push(...batch);
    acts.push(...batch.map(act));
  }
  await Promise.race([Promise.all(acts), wait(10_000)]);
  await wait(1000);
  for (const socket of sockets) socket.destroy();
}

async function secure(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
  return ready(socket, "secureConnect");
}

async function plain(port: number): Promise<Socket> {
  return ready(connectPlain({ host: "127.0.0.1", port }), "connect");
}

async function ready(socket: Socket, event: string): Promise<Socket> {
  socket.on("error", () => undefined);
  socket.on("data", () => undefined);
  await Promise.race([once(socket, event), once(socket, "close")]).catch(() => undefined);
  return socket;
}

function body(socket: Socket, header: string, text: string | Buffer): Promise<unknown> {
  socket.write(`POST /mutate HTTP/1.1\r\n${JSON_HEAD}${header}\r\n\r\n`);
  return write(socket, text);
}

/** Resolves when all was taken, or nobody takes it any more. */
function write(socket: Socket, text: string | Buffer): Promise<unknown> {
  return new Promise((resolve) => {
    socket.once("close", resolve);
    socket.write(text, resolve);
  });
}

function post(text: string): string {
  return `POST /mutate HTTP/1.1\r\n${JSON_HEAD}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** Sends a body on several connections at once and reads the answers. */
async function each(port: number, text: string, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = await secure(port);
      const answered = once(socket, "data").catch(() => undefined);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.write(post(text));
      await Promise.race([answered, closed, wait(30_000)]);
      socket.destroy();
    }),
  );
}

function review(annotations: Readonly<Record<string, string>>): string {
  return JSON.stringify(reviewOf(gatewayPod(annotations)));
}

/** A review of a pod that has one list filled with one element. */
function pod(list: string, element: string, bytes: number): string {
  const elements = `${`${element},`.repeat(Math.floor(bytes / (element.length + 1)))}${element}`;
  const text = review({});
  if (list === "containers") return text.replace('"containers":[', () => `"containers":[${elements},`);
  return text.replace('"restartPolicy"', () => `"${list}":[${elements}],"restartPolicy"`);
}
