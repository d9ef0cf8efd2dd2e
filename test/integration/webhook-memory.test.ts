/**
 * What strangers send cannot fill the webhook's memory: bodies on their way and connections are bounded, and the calls
 * of the API server are answered meanwhile. On real TLS sockets.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect as connectPlain } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { MAX_BODIES, MAX_BODY } from "../../src/admission/bodies.ts";
import { MAX_CONNECTIONS } from "../../src/admission/connections.ts";
import { gatewayPod, reviewText } from "./pods.ts";
import { type Folder, makeFolder, startWebhook, type WebhookProcess } from "./webhook-process.ts";

let folder: Folder;
let webhook: WebhookProcess;
const sockets: TLSSocket[] = [];

before(async () => {
  folder = await makeFolder();
  webhook = await startWebhook(folder);
});

after(async () => {
  for (const socket of sockets) socket.destroy();
  await webhook.stop();
  folder.remove();
});

/** @param localAddress strangers may come from elsewhere than the callers of other tests */
async function stranger(localAddress = "127.0.0.1"): Promise<TLSSocket> {
  const plain = connectPlain({ host: "127.0.0.1", localAddress, port: webhook.port });
  plain.on("error", () => undefined);
  const socket = connect({ socket: plain, ca: folder.ca, servername: "localhost" });
  socket.on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "secureConnect");
  return socket;
}

/** Starts a call, and collects what is answered. */
async function call(
  headers: string,
  localAddress?: string,
  path = "/mutate",
): Promise<{ readonly socket: TLSSocket; answer(): string }> {
  const socket = await stranger(localAddress);
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`);
  return { socket, answer: () => text };
}

async function goodCall(): Promise<number> {
  return (await webhook.post(reviewText(gatewayPod()))).status;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(20);
}

/** Bytes, or 0 where the system does not say. */
function residentMemory(): number {
  const status = `/proc/${webhook.child.pid}/status`;
  return existsSync(status) ? Number(/^VmRSS:\s+([0-9]+)/m.exec(readFileSync(status, "utf8"))?.[1]) * 1024 : 0;
}

async function shed(what: string): Promise<number> {
  const series = new RegExp(`gracegate_webhook_shed_total\\{what="${what}"\\} ([0-9]+)`);
  return Number(series.exec(await webhook.metrics())?.[1]);
}

describe("bodies on their way", () => {
  it("a Content-Length over the bound is refused before the body comes, and the connection ends", async () => {
    const { socket, answer } = await call(`Content-Length: ${2 ** 30}`);
    await once(socket, "end");
    assert.match(answer(), /^HTTP\/1\.1 413 [\s\S]*larger than 7340032 bytes\n$/);
  });

  it("a body without a length is refused when it grows over the bound, and the connection ends", async () => {
    const { socket, answer } = await call("Transfer-Encoding: chunked");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const chunk = `10000\r\n${"a".repeat(65_536)}\r\n`;
    for (let sent = 0; sent <= 2 * MAX_BODY && !socket.destroyed && answer() === ""; sent += 65_536) {
      if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
    }
    await closed;
    assert.match(answer(), /^HTTP\/1\.1 413 /);
  });

  it("a body that nobody wants is not read to its end", async () => {
    const { socket, answer } = await call("Transfer-Encoding: chunked", undefined, "/elsewhere");
    await once(socket, "end");
    assert.match(answer(), /^HTTP\/1\.1 404 [\s\S]*Connection: close/);
  });

  it("strangers who never end theirs are given up, and good calls are answered meanwhile", async () => {
    const most = Math.floor(MAX_BODIES / MAX_BODY);
    const part = Buffer.alloc(MAX_BODY - 1, "a");
    const strangers = await Promise.all(
      Array.from({ length: most + 4 }, async () => {
        const started = await call(`Content-Length: ${MAX_BODY}`);
        started.socket.write(part);
        return started;
      }),
    );
    const statuses: number[] = [];
    await until(async () => {
      statuses.push(await goodCall());
      return (await shed("body")) >= 4;
    });
    assert.deepEqual(new Set(statuses), new Set([200]));
    const refused = strangers.filter(({ answer }) => answer() !== "");
    assert.ok(refused.length >= 4, `${refused.length} were given up`);
    for (const { answer } of refused) assert.match(answer(), /^HTTP\/1\.1 503 [\s\S]*Retry-After: 1\r\n/);
    for (const { socket } of strangers) socket.destroy();
    await until(async () =>
      /gracegate_webhook_bad_requests_total\{reason="aborted"\} [1-9]/.test(await webhook.metrics()),
    );
    assert.equal(await goodCall(), 200);
  });

  it("a body that is still coming stays, though smaller ones that stand still fill the memory", async () => {
    const before = await shed("body");
    const text = reviewText(gatewayPod({ "example.io/large": "x".repeat(200_000) }));
    const caller = await call(`Content-Length: ${text.length}`);
    caller.socket.write(text.slice(0, 180_000));
    const part = Buffer.alloc(150_000, "a");
    for (let opened = 0; opened < MAX_BODIES / 150_000 + 20; opened += 20) {
      const strangers = await Promise.all(
        Array.from({ length: 20 }, () => call("Content-Length: 150001", "127.0.0.2")),
      );
      for (const { socket } of strangers) socket.write(part);
    }
    await until(async () => (await shed("body")) >= before + 10);
    caller.socket.write(text.slice(180_000));
    await until(() => caller.answer() !== "");
    assert.match(caller.answer(), /^HTTP\/1\.1 200 /);
    for (const socket of sockets) socket.destroy();
  });

  it("bodies that come byte by byte take what is counted, and such a review is answered", async () => {
    const before = residentMemory();
    const pieces = "1\r\n[\r\n".repeat(100_000);
    const strangers = await Promise.all(Array.from({ length: 20 }, () => call("Transfer-Encoding: chunked")));
    const sent = strangers.map(({ socket }) => new Promise((resolve) => socket.write(pieces, resolve)));
    await Promise.all(sent);
    const { answer } = await call("Transfer-Encoding: chunked\r\nConnection: close");
    const text = reviewText(gatewayPod());
    sockets.at(-1)?.write(`${Array.from(text, (character) => `1\r\n${character}\r\n`).join("")}0\r\n\r\n`);
    await until(() => answer().includes('"patchType":"JSONPatch"'));
    const grown = (residentMemory() - before) / 2 ** 20;
    // 2 MB came; as objects of their own its pieces take 220 MiB.
    assert.ok(grown < 100, `${grown} MiB`);
    for (const { socket } of strangers) socket.destroy();
  });
});

describe("connections", () => {
  it("beyond the bound the one that is idle longest goes, and a new one is served", async () => {
    const caller = await call("Content-Length: 0");
    const idle: TLSSocket[] = [];
    for (let opened = 0; opened < MAX_CONNECTIONS + 32; opened += 32) {
      idle.push(...(await Promise.all(Array.from({ length: 32 }, () => stranger("127.0.0.2")))));
    }
    assert.equal(await goodCall(), 200);
    await until(async () => (await shed("connection")) >= 32);
    await until(() => idle.filter((socket) => socket.destroyed).length >= 32);
    const gone = idle.map((socket) => socket.destroyed);
    assert.ok(gone.indexOf(false) >= 16, "the oldest went first");
    assert.equal(idle.at(-1)?.destroyed, false, "the last one stayed");
    assert.equal(caller.socket.destroyed, false, "who has one alone keeps it, though it is the oldest");
  });

  it("pipelines of thousands of calls take no memory", async () => {
    const before = residentMemory();
    const line = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";
    const impatient = await Promise.all(Array.from({ length: 100 }, () => stranger()));
    for (const socket of impatient) socket.resume().write(line.repeat(3000));
    await until(() => impatient.every((socket) => socket.destroyed));
    assert.equal(await goodCall(), 200);
    const grown = (residentMemory() - before) / 2 ** 20;
    assert.ok(grown < 50, `${grown} MiB`);
  });

  it("a client that does not wait for its answers loses its connection; one that sends two at once gets both", async () => {
    const line = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";
    const [patient, impatient] = [await stranger(), await stranger()];
    impatient.resume();
    let text = "";
    patient.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    patient.write(line.repeat(2));
    impatient.write(line.repeat(100));
    await once(impatient, "close");
    await until(() => text.split("HTTP/1.1 200").length === 3);
    assert.equal(patient.destroyed, false);
  });
});
