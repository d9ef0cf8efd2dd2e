import assert from "node:assert/strict";
import type { lookup } from "node:dns";
import { test } from "node:test";
import { sharedLookup } from "./lookup.ts";

/** A resolver that counts how often it is asked. */
function resolver() {
  const asked: string[] = [];
  const resolve = ((name: string, _options: unknown, callback: (...results: unknown[]) => void) => {
    asked.push(name);
    setImmediate(() =>
      name === "none"
        ? callback(Object.assign(new Error("not found"), { code: "ENOTFOUND" }))
        : callback(null, [{ address: "192.0.2.1", family: 4 }]),
    );
  }) as unknown as typeof lookup;
  return { asked, shared: sharedLookup(resolve) };
}

const ask = (shared: ReturnType<typeof sharedLookup>, name: string, all: boolean) =>
  new Promise<unknown[]>((resolve) => shared(name, { all }, (...results) => resolve(results)));

test("a hundred connections at once need one lookup, in the form that each asks for", async () => {
  const { asked, shared } = resolver();
  const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(shared, "shop", index % 2 === 0)));
  assert.deepEqual(asked, ["shop"]);
  assert.deepEqual(answers[0], [null, [{ address: "192.0.2.1", family: 4 }]]);
  assert.deepEqual(answers[1], [null, "192.0.2.1", 4]);
});

test("a name that is not found is an error for each who asks", async () => {
  const { asked, shared } = resolver();
  const [first, second] = await Promise.all([ask(shared, "none", true), ask(shared, "none", false)]);
  for (const answer of [first, second]) assert.match(String(answer?.[0]), /not found/);
  assert.equal(asked.length, 1);
});
