import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ms, seconds } from "../units/milliseconds.ts";
import { drainTimeoutOfP99 } from "./drain-timeout.ts";
import { written } from "./formula.ts";

describe("drainTimeoutOfP99", () => {
  const cases: readonly [string, number, number][] = [
    ["the runbook's 30 s become 36 s", 30, 36],
    ["a part of a second is rounded up", 1, 2],
    ["an exact product does not cost a second more", 5, 6],
    ["a product that floating point puts a hair above is exact as well", 35, 42],
    ["no request time needs no drain", 0, 0],
    ["2.5 s make exactly 3 s", 2.5, 3],
    ["half a second makes one", 0.5, 1],
    ["a millisecond more than exact costs a second", 2.501, 4],
  ];
  for (const [name, p99, expected] of cases) {
    it(name, () => assert.equal(drainTimeoutOfP99(seconds(p99)).value, seconds(expected)));
  }

  it("is the exact ceiling for every span of a day", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 86_400_000 }), (p99) => {
        assert.equal(drainTimeoutOfP99(ms(p99)).value, Number((BigInt(p99) * 12n + 9999n) / 10_000n) * 1000);
      }),
      { numRuns: 5000 },
    );
  });

  it("shows what was rounded", () => {
    assert.equal(written(drainTimeoutOfP99(seconds(30))), "30s × 1.2 = 36s");
    assert.equal(written(drainTimeoutOfP99(seconds(7))), "7s × 1.2, rounded up, = 9s");
  });
});
