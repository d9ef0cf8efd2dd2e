import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { boundConnections, closeNow, EVERYWHERE, limitedServer, listenOn } from "./listen.ts";

const silent = () => {};

test("the oldest connection goes at the bound, those that are held stay, and a new one is never refused", async () => {
  const server = limitedServer((_, response) => response.end("ok"));
  const accepted: Socket[] = [];
  server.on("connection", (socket) => accepted.push(socket));
  boundConnections(server, 3, (socket) => socket === accepted[0]);
  await listenOn(server, ["127.0.0.1"], 0, silent, new AbortController().signal);
  const { port } = server.address() as AddressInfo;
  const closed: number[] = [];
  const clients: Socket[] = [];
  for (let count = 0; count < 5; count++) {
    const client = connect(port, "127.0.0.1");
    client.on("error", silent);
    client.resume();
    client.once("close", () => closed.push(count));
    await new Promise((resolve) => client.once("connect", resolve));
    while (accepted.length <= count) await new Promise((resolve) => setTimeout(resolve, 2));
    clients.push(client);
  }
  while (closed.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.deepEqual(closed, [1, 2]);
  for (const client of clients) client.destroy();
  closeNow(server);
});

test("a port that is taken is tried again until it is free", async () => {
  const squatter = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => squatter.once("listening", resolve));
  const { port } = squatter.address() as AddressInfo;
  const server = limitedServer((_, response) => response.end());
  const said: string[] = [];
  const listening = listenOn(server, ["127.0.0.1"], port, (_, event) => said.push(event), new AbortController().signal);
  while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  await new Promise((resolve) => squatter.close(resolve));
  await listening;
  assert.deepEqual([said, server.listening], [["listen-failed"], true]);
  closeNow(server);
});

test("an address that the machine does not have is passed over", async () => {
  const server = limitedServer((_, response) => response.end());
  const said: string[] = [];
  // 2001:db8::/32 belongs to nobody: it is for documentation.
  const log = (_: string, event: string) => said.push(event);
  await listenOn(server, ["2001:db8::1", "127.0.0.1"], 0, log, new AbortController().signal);
  assert.equal((server.address() as AddressInfo).address, "127.0.0.1");
  closeNow(server);
  const nowhere = limitedServer((_, response) => response.end());
  await listenOn(nowhere, ["2001:db8::1"], 0, log, new AbortController().signal);
  assert.deepEqual([nowhere.listening, said], [false, ["address-absent", "address-absent"]]);
  assert.deepEqual(EVERYWHERE, ["::", "0.0.0.0"]);
});
