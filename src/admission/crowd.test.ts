import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { firstToGo, type Holder } from "./crowd.ts";

const holder = (address: string, weight: number, since: number): Holder => ({ address, weight, since });

describe("firstToGo", () => {
  const cases: readonly [string, readonly Holder[], number | undefined][] = [
    ["nobody goes where nobody is", [], undefined],
    ["of one address, the one that has stood still for longest", [holder("a", 1, 5), holder("a", 1, 3)], 1],
    [
      "an address that takes more goes first, though another has waited longer",
      [holder("api", 1, 0), holder("stranger", 1, 8), holder("stranger", 1, 7)],
      2,
    ],
    ["weight counts, not number", [holder("a", 1, 0), holder("a", 1, 1), holder("b", 9, 2)], 2],
  ];
  for (const [name, holders, index] of cases) {
    it(name, () => {
      const first = firstToGo(new Set(holders));
      assert.equal(first === undefined ? undefined : holders.indexOf(first), index);
    });
  }
});
