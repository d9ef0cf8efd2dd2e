/**
 * Replicas that decide by themselves about one Secret, with wrong clocks, crashes, lost answers and a Secret that somebody
 * deletes: no client ever meets a certificate that it does not trust, and in the end all is in order.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Fault, Model, type Run } from "../../test/unit/certificate-model.ts";
import { FORGET_MS } from "./renewal.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Faults come for so long, and then there is peace. */
const TROUBLE_MS = 9 * HOUR;
const PEACE_MS = 40 * MINUTE;

const upTo = (ms: number) => fc.integer({ min: 0, max: ms });
const replica = fc.nat(3);
// One that is cut off for longer may serve by an authority that the others forgot: it sees nothing that would tell it.
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("crash" as const), replica, forMs: upTo(3 * MINUTE) }),
  fc.record({ kind: fc.constant("cut off" as const), replica, forMs: upTo(FORGET_MS - 2 * MINUTE) }),
  fc.record({ kind: fc.constant("lost answer" as const), replica, forMs: upTo(10 * MINUTE) }),
  fc.record({ kind: fc.constant("API server's clock" as const), forMs: upTo(8 * MINUTE) }),
  fc.record({ kind: fc.constant("Secret deleted" as const) }),
);
/** One clock is right; that the API server's and this machine's are ahead together is more than anybody can tell. */
const run: fc.Arbitrary<Run> = fc
  .constantFrom<readonly [number, number]>([-3 * HOUR, 2 * HOUR], [-3 * HOUR, -2 * HOUR], [3 * HOUR, -2 * HOUR])
  .chain(([offset, jump]) =>
    fc.record({
      seed: fc.integer(),
      offsets: fc.array(fc.constantFrom(0, offset), { maxLength: 2 }).map((more) => [0, ...more]),
      jump: fc.constant(jump),
      faults: fc.array(fc.tuple(upTo(TROUBLE_MS), fault), { maxLength: 30 }),
    }),
  );

describe("replicas that manage the certificates together", () => {
  it("never serve what is not trusted, and agree in the end, whatever happens", () => {
    const steps = new Set<string>();
    fc.assert(
      fc.property(run, (given) => {
        const model = new Model(given);
        model.runUntil(TROUBLE_MS);
        // Something is renewed now and then, so order is not there at every instant.
        let end = TROUBLE_MS + PEACE_MS;
        model.runUntil(end);
        while (model.disorder() !== undefined && end < TROUBLE_MS + PEACE_MS + 5 * MINUTE) {
          end += 10_000;
          model.runUntil(end);
        }
        assert.equal(model.disorder(), undefined);
        for (const step of model.steps) steps.add(step);
      }),
      { numRuns: 60 },
    );
    // Otherwise nothing was tried.
    assert.deepEqual([...steps].sort(), ["announce", "begin", "forget", "issue", "restore", "switch"]);
  });
});
