import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { spellings } from "./spellings.ts";

describe("spellings", () => {
  it("camelCase comes first", () => {
    assert.deepEqual(spellings("terminationDrainDuration"), ["terminationDrainDuration", "termination_drain_duration"]);
  });
  it("a name of one word has one spelling", () => assert.deepEqual(spellings("concurrency"), ["concurrency"]));
});
