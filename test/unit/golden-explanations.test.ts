/**
 * Whole explanations, as text and as pictures. `make golden` writes the expected files; a person reads what changed.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { explanations } from "../golden/explanations.ts";

describe("golden explanations", () => {
  for (const { golden, text } of explanations()) {
    it(`${golden} is what comes out`, () => {
      assert.ok(existsSync(golden), "make golden writes the file");
      assert.equal(text(), readFileSync(golden, "utf8"));
    });

    it(`${golden} fits`, () => {
      const lines = text().split("\n");
      if (golden.endsWith(".txt")) assert.ok(lines.every((line) => line.length <= 80));
      else {
        assert.doesNotMatch(text(), /NaN|undefined|Infinity|https?:(?!\/\/www\.w3\.org\/2000\/svg)/);
        // One open tag for each closed one: no text broke the markup.
        const opened = text().match(/<(svg|g|text|title|desc|style)[ >]/g)?.length ?? 0;
        assert.equal(opened, text().match(/<\/(svg|g|text|title|desc|style)>/g)?.length);
      }
    });
  }
});
