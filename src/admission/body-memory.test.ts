import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BodyMemory } from "./body-memory.ts";

describe("the memory of a body", () => {
  it("gives back what came, however it was cut", () => {
    const memory = new BodyMemory(Number.POSITIVE_INFINITY);
    const text = "0123456789".repeat(10_000);
    for (let at = 0; at < text.length; at += 777) memory.add(Buffer.from(text.slice(at, at + 777)));
    assert.equal(memory.bytes.toString(), text);
    assert.equal(memory.length, text.length);
  });

  it("takes memory for what came, not for what was announced", () => {
    const memory = new BodyMemory(7_000_000);
    memory.add(Buffer.from("{"));
    assert.equal(memory.size, 16 * 1024);
  });

  it("takes no more than what was announced", () => {
    const memory = new BodyMemory(20_000);
    memory.add(Buffer.alloc(10_000));
    memory.add(Buffer.alloc(10_000));
    assert.equal(memory.size, 20_000);
  });

  it("takes nothing once it is freed, however often", () => {
    const memory = new BodyMemory(10);
    memory.add(Buffer.alloc(10));
    memory.free();
    memory.free();
    assert.equal(memory.size, 0);
  });
});
