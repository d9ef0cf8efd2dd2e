import assert from "node:assert/strict";
import { get } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, test } from "node:test";
import { type DrainProgress, HeldRequests } from "./held-requests.ts";
import { OneRequestServer } from "./one-request-server.ts";

let progress: DrainProgress = "none";
const held = new HeldRequests(() => progress, "secret");
const server = new OneRequestServer(256, (exchange) => held.add(exchange));
let port = 0;

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

function ask(localAddress = "127.0.0.1", token?: string): Promise<number> {
  const headers = token === undefined ? {} : { "Gracegate-Hook": token };
  return new Promise((resolve, reject) => {
    get({ port, host: "127.0.0.1", path: "/drained", localAddress, headers, agent: false }, (incoming) =>
      resolve(incoming.resume().statusCode ?? 0),
    ).on("error", reject);
  });
}

async function untilHeld(count: number): Promise<void> {
  while (held.count !== count) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("a request that waits is answered with 200 when the drain is over", async () => {
  progress = "under-way";
  const hook = ask();
  await untilHeld(1);
  progress = "over";
  held.release();
  assert.equal(await hook, 200);
  assert.equal(held.count, 0);
});

test("a request that comes after the end does not wait", async () => {
  progress = "over";
  assert.equal(await ask(), 200);
});

test("a drain that is taken back answers with 503", async () => {
  progress = "under-way";
  const hook = ask();
  await untilHeld(1);
  progress = "none";
  held.release();
  assert.equal(await hook, 503);
});

test("requests of other addresses do not take the place of the kubelet's", async () => {
  progress = "under-way";
  const others = Array.from({ length: 8 }, () => ask("127.0.0.2"));
  await untilHeld(8);
  const hook = ask();
  await untilHeld(9);
  progress = "over";
  held.release();
  assert.equal(await hook, 200);
  assert.deepEqual(new Set(await Promise.all(others)), new Set([200]));
});

test("in a drain the ninth request of an address is turned away, before one its oldest", async () => {
  progress = "none";
  const oldest = ask();
  await untilHeld(1);
  const others = Array.from({ length: 7 }, () => ask());
  await untilHeld(8);
  others.push(ask());
  assert.equal(await oldest, 503);
  progress = "under-way";
  assert.equal(await ask(), 503);
  progress = "over";
  held.release();
  assert.deepEqual(new Set(await Promise.all(others)), new Set([200]));
});

/** As many strangers as there are places for hooks without a token. */
async function fill(): Promise<readonly Promise<number>[]> {
  const strangers = Array.from({ length: 256 }, (_, count) => ask(`127.0.0.${2 + Math.floor(count / 8)}`));
  await untilHeld(256);
  return strangers;
}

async function released(): Promise<void> {
  progress = "over";
  held.release();
  while (held.count > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

for (const when of ["none", "under-way"] as const) {
  test(`the hook with the token has its place when strangers have all others, and twice: drain ${when}`, async () => {
    progress = when;
    const strangers = await fill();
    const hooks = [ask("127.0.0.2", "secret"), ask("127.0.0.2", "secret")];
    await untilHeld(258);
    const more = ask("127.0.0.99");
    const wrong = ask("127.0.0.98", "secre");
    let turnedAway = 0;
    for (const stranger of strangers) void stranger.then(() => (turnedAway += 1));
    while (turnedAway < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(held.count, 258);
    progress = "under-way";
    await released();
    assert.deepEqual(await Promise.all(hooks), [200, 200]);
    const others = await Promise.all([...strangers, more, wrong]);
    assert.equal(others.filter((status) => status === 503).length, 2, "two strangers made room for two others");
  });
}

test("a hook without a token gets a place of the address that has the most", async () => {
  progress = "under-way";
  const strangers = await fill();
  const hook = ask("127.0.0.99");
  assert.ok((await Promise.race(strangers)) === 503);
  assert.equal(held.count, 256);
  for (let more = 0; more < 8; more++) assert.equal(await ask("127.0.0.2"), 503);
  await released();
  assert.equal(await hook, 200);
  assert.equal((await Promise.all(strangers)).filter((status) => status === 503).length, 1);
});

test("a client that goes away frees its place", async () => {
  progress = "under-way";
  const socket = connect(port, "127.0.0.1", () => socket.write("GET /drained HTTP/1.1\r\n\r\n"));
  await untilHeld(1);
  socket.destroy();
  await untilHeld(0);
});
