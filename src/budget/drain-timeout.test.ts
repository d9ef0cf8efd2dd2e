import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { drainTimeoutOfP99 } from "./drain-timeout.ts";

describe("drainTimeoutOfP99", () => {
  const cases: readonly [string, number, number][] = [
    ["the runbook's 30 s become 36 s", 30, 36],
    ["a part of a second is rounded up", 1, 2],
    ["an exact product does not cost a second more", 5, 6],
    ["a product that floating point puts a hair above is exact as well", 35, 42],
    ["no request time needs no drain", 0, 0],
  ];
  for (const [name, p99, seconds] of cases) {
    it(name, () => assert.equal(drainTimeoutOfP99(p99), seconds));
  }

  it("is the exact ceiling for every second of a day's first hour", () => {
    for (let p99 = 0; p99 <= 3600; p99++) assert.equal(drainTimeoutOfP99(p99), Math.ceil((p99 * 12) / 10));
  });
});
