/**
 * What is made from the code is as the code would make it now.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { generated } from "../../scripts/generated.ts";
import { version } from "../../src/version.ts";

describe("generated files", () => {
  for (const { path, text } of generated) {
    it(`${path} is not stale (make generate)`, async () => {
      assert.equal(readFileSync(path, "utf8"), await text());
    });
  }
});

it("the program and package.json tell the same version", () => {
  assert.equal((JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version, version);
});
