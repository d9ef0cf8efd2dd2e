import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Outages } from "./outages.ts";

describe("Outages", () => {
  const world = () => {
    const clock = { now: 1_000_000 };
    const outages = new Outages(() => clock.now, 120_000);
    const after = (seconds: number) => {
      clock.now += seconds * 1000;
      return outages;
    };
    return { outages, after };
  };

  it("there is none where nothing failed", () => assert.equal(world().outages.seconds("policies"), 0));

  it("many errors at once are a short one", () => {
    const { outages, after } = world();
    for (let error = 0; error < 20; error++) after(0.5).failed("policies");
    assert.equal(outages.seconds("policies"), 9.5);
    assert.equal(after(120).seconds("policies"), 9.5);
    assert.equal(after(1).seconds("policies"), 0);
  });

  it("few errors in a row are a long one, and another begins at 0", () => {
    const { outages, after } = world();
    for (let error = 0; error < 12; error++) after(30).failed("policies");
    assert.equal(outages.seconds("policies"), 330);
    after(121).failed("policies");
    assert.equal(outages.seconds("policies"), 0);
  });

  it("each has its own", () => {
    const { outages, after } = world();
    outages.failed("policies");
    after(60).failed("policies");
    outages.failed("certificate");
    assert.deepEqual([outages.seconds("policies"), outages.seconds("certificate")], [60, 0]);
  });
});
