import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nearest } from "./nearest.ts";

const known = ["drain-timeout", "lb-buffer", "lb-check-fall", "hc", "hc-port", "mode"];

describe("nearest", () => {
  const cases: readonly [string, string, string | undefined][] = [
    ["a letter is missing", "drain-timout", "drain-timeout"],
    ["a letter is too many", "draiin-timeout", "drain-timeout"],
    ["two letters are swapped", "lb-bufefr", "lb-buffer"],
    ["the case is wrong", "Mode", "mode"],
    ["a camelCase name", "drainTimeout", "drain-timeout"],
    ["a short name allows one letter", "hx", "hc"],
    ["nothing is near", "colour", undefined],
    ["a longer name that only begins the same", "mode-of-the-webhook", undefined],
    ["the nearer of two wins", "hc-prt", "hc-port"],
    ["the name itself", "mode", "mode"],
  ];
  for (const [name, word, result] of cases) {
    it(name, () => assert.equal(nearest(word, known), result));
  }
  it("of no names none is near", () => assert.equal(nearest("mode", []), undefined));
});
