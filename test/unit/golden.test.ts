/**
 * Whole pods, before and after. `make golden` writes the expected files; a person reads what changed in them.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { makePatch, verifies } from "../../src/mutate/patch.ts";
import { podProblems } from "../../src/pod/pod-rules.ts";
import { goldenText, runSample, samples } from "../golden/samples.ts";

describe("golden pods", () => {
  for (const sample of samples()) {
    it(`${sample.name} comes out as ${sample.golden} says`, () => {
      assert.ok(existsSync(sample.golden), "make golden writes the file");
      assert.equal(goldenText(sample), readFileSync(sample.golden, "utf8"));
    });

    it(`${sample.name} is changed once and not again`, () => {
      const first = runSample(sample, sample.pod).pod;
      const second = runSample(sample, first).pod;
      assert.deepEqual(makePatch(first, second), []);
    });

    it(`${sample.name} is taken by the API server, and its patch applies`, () => {
      const result = runSample(sample, sample.pod).pod;
      const before = podProblems(sample.pod);
      assert.deepEqual(
        podProblems(result).filter((problem) => !before.includes(problem)),
        [],
      );
      assert.ok(verifies(sample.pod, makePatch(sample.pod, result), result));
    });
  }
});
