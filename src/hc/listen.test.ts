import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { closeNow, EVERYWHERE, limitedServer, listenOn } from "./listen.ts";

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
