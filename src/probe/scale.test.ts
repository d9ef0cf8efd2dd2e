import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { niceScale } from "./scale.ts";

test("an axis ends at or above its highest value, in few even steps from 0", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.boolean(), (highest, isWhole) => {
      const { top, ticks } = niceScale(highest, isWhole);
      assert.ok(top >= highest * (1 - 1e-6) && top > 0);
      assert.equal(ticks[0], 0);
      assert.equal(ticks.at(-1), top);
      assert.ok(ticks.length <= 6, `${ticks}`);
      if (isWhole) assert.ok(ticks.every(Number.isInteger), `${ticks}`);
    }),
  );
});

test("ticks are the numbers that a person would choose", () => {
  assert.deepEqual(niceScale(197, true).ticks, [0, 50, 100, 150, 200]);
  assert.deepEqual(niceScale(1, true).ticks, [0, 1]);
  assert.deepEqual(niceScale(0, true).ticks, [0, 1]);
  assert.deepEqual(niceScale(0.25, false).ticks, [0, 0.1, 0.2, 0.3]);
});
