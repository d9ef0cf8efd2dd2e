import assert from "node:assert/strict";
import { createServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type DrainProgress, HeldRequests } from "./held-requests.ts";

let progress: DrainProgress = "none";
const held = new HeldRequests(() => progress);
let server: Server;
let port = 0;

before(async () => {
  server = createServer((_, response) => held.add(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

function ask(): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ port, host: "127.0.0.1", agent: false }, (incoming) => resolve(incoming.resume().statusCode ?? 0)).on(
      "error",
      reject,
    );
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

test("in a drain the ninth request is turned away, before one the oldest", async () => {
  progress = "none";
  const oldest = ask();
  await untilHeld(1);
  const others = Array.from({ length: 7 }, ask);
  await untilHeld(8);
  others.push(ask());
  assert.equal(await oldest, 503);
  progress = "under-way";
  assert.equal(await ask(), 503);
  progress = "over";
  held.release();
  assert.deepEqual(new Set(await Promise.all(others)), new Set([200]));
});
