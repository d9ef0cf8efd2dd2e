import assert from "node:assert/strict";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { hookHeaders } from "../mutate/hook-token.ts";
import { objectsAt } from "../pod/json.ts";
import { prepared } from "./answers.ts";
import { closeNow, listenOn } from "./listen.ts";
import { type Exchange, OneRequestServer, pathOf } from "./one-request-server.ts";

const OK = prepared({ status: 200, body: "ok\n" });

async function started(
  context: TestContext,
  most: number,
  handle: (exchange: Exchange) => void,
): Promise<{ server: OneRequestServer; port: number }> {
  const server = new OneRequestServer(most, handle);
  await listenOn(server, ["127.0.0.1"], 0, () => {}, new AbortController().signal);
  context.after(() => closeNow(server));
  return { server, port: (server.address() as AddressInfo).port };
}

/** A client that is there when the server has seen it. */
async function client(context: TestContext, server: OneRequestServer, localAddress = "127.0.0.1"): Promise<Socket> {
  const accepted = new Promise((resolve) => server.once("connection", resolve));
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", localAddress });
  context.after(() => socket.destroy());
  socket.on("error", () => {});
  socket.resume();
  await accepted;
  return socket;
}

/** Everything that comes back until the connection ends. */
function answerTo(socket: Socket, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.once("close", () => resolve(text));
    socket.write(bytes, "latin1");
  });
}

test("the oldest connection goes at the bound, those that are held stay, and a new one is never refused", async (context) => {
  const { server } = await started(context, 3, (exchange) => exchange.hold(() => {}));
  const closed: number[] = [];
  const held = await client(context, server);
  held.once("close", () => closed.push(0));
  held.write("GET / HTTP/1.0\r\n\r\n");
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (let count = 1; count <= 5; count++) {
    const socket = await client(context, server);
    socket.once("close", () => closed.push(count));
  }
  while (closed.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.deepEqual(closed, [1, 2]);
});

test("at the bound it is the address with the most connections that loses one", async (context) => {
  const { server } = await started(context, 8, (exchange) => exchange.answer(OK));
  const balancer = await client(context, server, "127.0.0.2");
  const strangers: Socket[] = [];
  for (let count = 0; count < 100; count++) strangers.push(await client(context, server));
  assert.match(await answerTo(balancer, "GET / HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 OK\r\n/);
});

test("only the first request of a connection is looked at", async (context) => {
  let asked = 0;
  const { server } = await started(context, 8, (exchange) => {
    asked += 1;
    exchange.answer(OK);
  });
  const text = await answerTo(await client(context, server), "GET / HTTP/1.1\r\n\r\n".repeat(1000));
  assert.equal(asked, 1);
  assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 1);
});

test("a held connection ends with too much that nobody asked for, and when its client is gone", async (context) => {
  let gone = 0;
  const { server } = await started(context, 8, (exchange) => exchange.hold(() => (gone += 1)));
  const talkative = await client(context, server);
  const closed = new Promise((resolve) => talkative.once("close", resolve));
  talkative.write(`GET / HTTP/1.0\r\n\r\n${"x".repeat(9000)}`);
  talkative.write("x");
  await closed;
  const leaving = await client(context, server);
  leaving.write("GET / HTTP/1.0\r\n\r\n");
  await new Promise((resolve) => setTimeout(resolve, 20));
  leaving.end();
  while (gone < 2) await new Promise((resolve) => setTimeout(resolve, 2));
});

const requests: readonly [name: string, bytes: string, seen: string][] = [
  ["HTTP/1.0 without a header", "OPTIONS / HTTP/1.0\r\n\r\n", "OPTIONS /"],
  ["bare line feeds", "GET /a HTTP/1.1\nHost: x\n\n", "GET /a"],
  ["an empty line before it", "\r\nGET /a HTTP/1.1\r\n\r\n", "GET /a"],
  ["a body", "POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "POST /a"],
  ["small letters for the method", "get / HTTP/1.1\r\n\r\n", "400"],
  ["no version", "GET /\r\n\r\n", "400"],
  ["HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400"],
  ["the hello of TLS", "\u0016\u0003\u0001\u0002\u0000\u0001", "400"],
  ["a head that does not end", `GET /${"x".repeat(9000)}`, "431"],
];
for (const [name, bytes, seen] of requests) {
  test(`a request with ${name}: ${seen}`, async (context) => {
    let request = "";
    const { server } = await started(context, 8, (exchange) => {
      request = `${exchange.method} ${exchange.path}`;
      exchange.answer(OK);
    });
    const text = await answerTo(await client(context, server), bytes);
    assert.equal(request || text.slice("HTTP/1.1 ".length, 12), seen);
  });
}

test("a request that comes byte by byte is read as one", async (context) => {
  const { server } = await started(context, 8, (exchange) => exchange.answer(OK));
  const socket = await client(context, server);
  socket.setNoDelay();
  const answer = answerTo(socket, "G");
  for (const byte of "ET /a HTTP/1.1\r\nHost: x\r\n\r\n") {
    socket.write(byte);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.match(await answer, /^HTTP\/1\.1 200 OK\r\n/);
});

test("the header that the webhook's hook carries is read, in any case", async (context) => {
  const [header] = objectsAt(hookHeaders("the token"), "httpHeaders");
  for (const name of [String(header?.name), String(header?.name).toUpperCase()]) {
    const seen: (string | undefined)[] = [];
    const { server } = await started(context, 8, (exchange) => {
      seen.push(exchange.token);
      exchange.answer(OK);
    });
    const bytes = `GET /drained HTTP/1.1\r\nHost: x\r\n${name}: ${header?.value}\r\n\r\n`;
    await answerTo(await client(context, server), bytes);
    assert.deepEqual(seen, ["the token"]);
  }
});

test("the path is what a target has without its query, and whatever stands before it", () => {
  assert.equal(pathOf("/a?token=b"), "/a");
  assert.equal(pathOf("http://host:80/a?b#c"), "/a");
  assert.equal(pathOf("http://host"), "/");
  assert.equal(pathOf("?x"), "/");
});
