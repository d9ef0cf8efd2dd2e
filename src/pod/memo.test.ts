import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memoized } from "./memo.ts";

function counted() {
  const calls: string[] = [];
  const of = memoized((text) => {
    calls.push(text);
    return text.length === 0 ? undefined : { text };
  });
  return { calls, of };
}

describe("memoized", () => {
  it("computes a text once, and gives the same result again", () => {
    const { calls, of } = counted();
    assert.equal(of("a"), of("a"));
    assert.deepEqual(calls, ["a"]);
  });

  it("remembers that a result is undefined", () => {
    const { calls, of } = counted();
    of("");
    of("");
    assert.deepEqual(calls, [""]);
  });

  it("forgets what was not asked for longest, and keeps what was asked for again", () => {
    const { calls, of } = counted();
    for (let index = 0; index < 512; index++) of(`t${index}`);
    of("t0");
    of("one more");
    calls.length = 0;
    of("t0");
    assert.deepEqual(calls, []);
    of("t1");
    assert.deepEqual(calls, ["t1"]);
  });

  it("keeps so many characters, whatever the number of texts", () => {
    const { calls, of } = counted();
    const text = (index: number) => String(index).padEnd(4096, "x");
    for (let index = 0; index < 65; index++) of(text(index));
    calls.length = 0;
    of(text(64));
    of(text(1));
    assert.deepEqual(calls, []);
    of(text(0));
    assert.equal(calls.length, 1);
  });

  it("does not keep long texts", () => {
    const { calls, of } = counted();
    const long = "x".repeat(4097);
    of(long);
    of(long);
    assert.equal(calls.length, 2);
  });

  it("keeps a text of the longest length", () => {
    const { calls, of } = counted();
    const text = "x".repeat(4096);
    of(text);
    of(text);
    assert.equal(calls.length, 1);
  });

  it("remembers nothing of a call that throws", () => {
    let calls = 0;
    const of = memoized(() => {
      calls += 1;
      throw new Error("no");
    });
    assert.throws(() => of("a"));
    assert.throws(() => of("a"));
    assert.equal(calls, 2);
  });
});
