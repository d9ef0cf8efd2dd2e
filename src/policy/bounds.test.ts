import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_POLICIES, MAX_POLICY_BYTES, NamespaceShares, oversize } from "./bounds.ts";

const nameOf = (index: number) => `p${String(index).padStart(3, "0")}`;
const all = Array.from({ length: MAX_POLICIES + 50 }, (_, index) => nameOf(index));
const first = all.slice(0, MAX_POLICIES);

describe("the policies of a namespace that hold", () => {
  const orders: readonly [string, readonly string[]][] = [
    ["in the order of their names", all],
    ["backwards", all.toReversed()],
    ["mixed", all.toSorted((a, b) => (a.at(-1) ?? "").localeCompare(b.at(-1) ?? ""))],
  ];
  for (const [order, names] of orders) {
    it(`are the first ${MAX_POLICIES} by name, when they come ${order}`, () => {
      const shares = new NamespaceShares("root");
      for (const name of names) shares.take("shop", name);
      assert.deepEqual(
        all.filter((name) => shares.has("shop", name)),
        first,
      );
    });
  }

  it("of the root namespace are all of them, and another namespace has its own", () => {
    const shares = new NamespaceShares("root");
    for (const name of all) shares.take("shop", name);
    assert.ok(all.every((name) => shares.take("root", name) && shares.has("root", name)));
    assert.ok(shares.take("edge", "zzz"));
    assert.equal(shares.take("shop", "zzz"), false);
  });

  it("leave their place when they go", () => {
    const shares = new NamespaceShares("root");
    for (const name of all) shares.take("shop", name);
    shares.retain((_, name) => name !== nameOf(3));
    assert.equal(shares.has("shop", nameOf(3)), false);
    assert.ok(shares.take("shop", "zzz"));
  });
});

describe("the size of a policy", () => {
  const spec = (characters: number) => ({ a: "x".repeat(characters) });
  const most = MAX_POLICY_BYTES - JSON.stringify(spec(0)).length;
  it("is its spec as JSON", () => {
    assert.equal(oversize(spec(most)), undefined);
    assert.match(oversize(spec(most + 1)) ?? "", /has 16385 bytes, more than the 16384/);
    assert.ok(oversize({ a: "é".repeat(most / 2 + 1) }), "bytes, not characters");
  });
});
