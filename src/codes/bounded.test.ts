import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { boundedNotices } from "./bounded.ts";
import { type Notice, notice } from "./registry.ts";

const unknown = (count: number): Notice[] =>
  Array.from({ length: count }, (_, index) =>
    notice("GG102", { annotation: `gracegate.dev/x${index}`, nearest: undefined }),
  );
const unread = (count: number): Notice[] =>
  Array.from({ length: count }, (_, index) => notice("GG305", { container: `c${index}` }));

describe("the notices of an answer", () => {
  it("are all there where they are 20", () => {
    assert.deepEqual(boundedNotices(unknown(20)), unknown(20));
  });

  it("are 20 and one that counts the others", () => {
    const bounded = boundedNotices(unknown(100_000));
    assert.deepEqual(bounded.slice(0, 20), unknown(20));
    assert.deepEqual(bounded.slice(20), [notice("GG503", { more: 99_980 })]);
  });

  it("drop what nobody is shown before what is shown, and keep their order", () => {
    const bounded = boundedNotices([...unread(30), notice("GG303", {})]);
    assert.deepEqual(bounded.at(-2), notice("GG303", {}));
    assert.equal(bounded.filter(({ code }) => code === "GG305").length, 19);
  });

  it("count for the log only where nobody would have been shown the others", () => {
    assert.deepEqual(boundedNotices(unread(30)).at(-1), { ...notice("GG503", { more: 10 }), severity: "info" });
  });

  it("have sentences of at most 300 characters", () => {
    const long = boundedNotices([notice("GG201", { reason: "x".repeat(5000) })]);
    assert.equal(long[0]?.text.length, 300);
    assert.ok(long[0]?.text.endsWith("x…"));
  });
});
