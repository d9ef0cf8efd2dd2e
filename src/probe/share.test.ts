import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isChosen } from "./share.ts";

test("the share is kept over any stretch of a run", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(100_000),
      fc.constantFrom("long", "new"),
      (share, from, decision) => {
        const chosen = Array.from({ length: 1000 }, (_, index) => isChosen(from + index, share, decision));
        assert.ok(Math.abs(chosen.filter(Boolean).length - share * 1000) <= 10);
      },
    ),
  );
});

test("a balancer that deals requests out in turn gets its share of long ones at every backend", () => {
  const long = Array.from({ length: 10_000 }, (_, index) => index).filter((index) => isChosen(index, 0.1, "long"));
  for (const backends of [2, 3, 4, 5]) {
    const first = long.filter((index) => index % backends === 0).length;
    assert.ok(Math.abs(first - 1000 / backends) < 20, `${first} of ${long.length} at one of ${backends}`);
  }
});

test("half of the long requests are on new connections when half of all are", () => {
  const both = Array.from({ length: 10_000 }, (_, index) => index).filter(
    (index) => isChosen(index, 0.1, "long") && isChosen(index, 0.5, "new"),
  );
  assert.ok(Math.abs(both.length - 500) < 50, String(both.length));
});
