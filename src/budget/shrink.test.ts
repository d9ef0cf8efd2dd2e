import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exactly } from "../../test/unit/pods.ts";
import { ms } from "../units/milliseconds.ts";
import { type Shrinkable, shrinkToFit as shrink } from "./shrink.ts";

const wanted = { drainTimeout: 36, leastDrainTimeout: 5, margin: 30, leastMargin: 8 };
const shrinkToFit = (given: typeof wanted, limit: number, needs: (drain: number, margin: number) => number) =>
  shrink(exactly<Shrinkable>(given), ms(limit * 1000), (drain, margin) =>
    ms(needs(drain / 1000, margin / 1000) * 1000),
  );
const shrunk = (drainTimeout: number, margin: number) => exactly<object>({ drainTimeout, margin });
const sum = (drain: number, margin: number) => drain + 9 + margin;

describe("shrinkToFit", () => {
  const cases: readonly [string, number, number, number][] = [
    ["nothing shrinks where it fits exactly", 75, 36, 30],
    ["the drain timeout takes the first second", 74, 35, 30],
    ["it shrinks to its least", 44, 5, 30],
    ["then the margin shrinks", 43, 5, 29],
    ["a drain timeout may have a fraction", 60.25, 21.25, 30],
    ["down to its least", 22, 5, 8],
    ["under which nothing goes", 1, 5, 8],
  ];
  for (const [name, limit, drainTimeout, margin] of cases) {
    it(name, () => assert.deepEqual(shrinkToFit(wanted, limit, sum), shrunk(drainTimeout, margin)));
  }

  it("a wish below the least stays as it is", () => {
    const small = { ...wanted, drainTimeout: 2, margin: 1 };
    assert.deepEqual(shrinkToFit(small, 1, sum), shrunk(2, 1));
  });

  it("what does not depend on the drain timeout leaves only the margin", () => {
    assert.deepEqual(
      shrinkToFit(wanted, 60, (_, margin) => 40 + margin),
      shrunk(5, 20),
    );
  });
});
