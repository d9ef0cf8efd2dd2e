import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isTooHeavy, MAX_WEIGHT, weightOf } from "./weight.ts";

const weight = (text: string, most = Number.POSITIVE_INFINITY) => weightOf(Buffer.from(text), most);

describe("weightOf", () => {
  const cases: readonly [string, string, number][] = [
    ["an empty text weighs nothing", "", 0],
    ["an object", "{}", 64],
    ["a list of three objects", "[{},{},{}]", 48 + 3 * 64 + 2 * 16],
    ["what stands in a string counts as a string", '["[{,,,","\\"[{","\\\\"]', 48 + 2 * 16 + 3 * 64],
    ["a string without an end", '[",,,', 48 + 64],
    ["nor one that ends with a backslash", '[",,,\\', 48 + 64],
  ];
  for (const [name, text, expected] of cases) it(name, () => assert.equal(weight(text), expected));

  const filled = (unit: string, bytes: number) => Buffer.from(`[${unit.repeat(bytes / unit.length)}0]`);

  for (const unit of ["{},", "[],", '"",', '{"a":[]},', '{"name":"a"},', "0,"]) {
    it(`what etcd holds is never too heavy: ${unit}`, () =>
      assert.equal(isTooHeavy(filled(unit, 1.5 * 2 ** 20)), false));
  }
  it("a body of 1 MiB of brackets is just light enough, and need not be looked at", () => {
    assert.equal(weight("[".repeat(2 ** 20)), MAX_WEIGHT);
    assert.equal(isTooHeavy(Buffer.from("[".repeat(2 ** 20))), false);
    assert.ok(isTooHeavy(Buffer.from("[".repeat(2 ** 20 + 1))));
  });
  it("the largest body is, of empty objects", () => assert.ok(isTooHeavy(filled("{},", 7 * 2 ** 20))));
  it("the largest body of long texts is not", () => {
    assert.equal(isTooHeavy(filled(`"${"[{,".repeat(100)}",`, 7 * 2 ** 20)), false);
  });

  it("stops where it is too much", () => {
    assert.ok(weight("{},".repeat(100_000), 1000) < 2000);
  });

  it("goes once over a string of escapes", () => {
    const seconds = (length: number) => {
      const text = Buffer.from(`"${"\\".repeat(length)}${'\\"'.repeat(length)}"`);
      const started = performance.now();
      for (let round = 0; round < 20; round++) weightOf(text, Number.POSITIVE_INFINITY);
      return performance.now() - started;
    };
    const best = (length: number) => Math.min(...Array.from({ length: 7 }, () => seconds(length)));
    best(20_000);
    assert.ok(best(40_000) / best(20_000) < 3.5);
  });
});
