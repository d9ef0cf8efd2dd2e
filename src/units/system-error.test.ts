import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, it } from "node:test";
import { sentenceOf, systemReason } from "./system-error.ts";

describe("errors of the operating system", () => {
  it("are told without the call's name, and name the file", () => {
    try {
      readFileSync("/no/such/file");
      assert.fail("it is there");
    } catch (error) {
      assert.equal(systemReason(error), "no such file or directory");
      assert.equal(sentenceOf(error), "/no/such/file cannot be used: no such file or directory.");
    }
  });

  it("name the address", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const second = createServer().listen(port, "127.0.0.1");
    const [taken] = await once(second, "error").catch((error) => [error]);
    assert.equal(sentenceOf(taken), `127.0.0.1:${port} cannot be used: address already in use.`);
    server.close();
    await once(server, "close");
    const [refused] = await once(connect(port, "127.0.0.1"), "error").catch((error) => [error]);
    assert.equal(sentenceOf(refused), `127.0.0.1:${port} cannot be reached: connection refused.`);
  });

  it("other errors say their first line", () => {
    assert.equal(sentenceOf(new Error("one\ntwo")), "one");
    assert.equal(sentenceOf("text"), "text");
  });
});
