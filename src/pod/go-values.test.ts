import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseGoBool, parseGoDuration } from "./go-values.ts";

describe("parseGoBool", () => {
  for (const text of ["1", "t", "T", "TRUE", "true", "True"]) {
    it(`${text} is true`, () => assert.equal(parseGoBool(text), true));
  }
  for (const text of ["0", "false", "tRUE", "yes", "on", "", " true"]) {
    it(`${JSON.stringify(text)} is not`, () => assert.equal(parseGoBool(text), false));
  }
});

describe("parseGoDuration", () => {
  const cases: readonly [string, string, number | undefined][] = [
    ["seconds", "5s", 5],
    ["minutes and seconds", "1m30s", 90],
    ["a part of a second stays", "1500ms", 1.5],
    ["0 needs no unit", "0", 0],
    ["another number lacks its unit", "40", undefined],
    ["an empty text", "", undefined],
    ["words", "soon", undefined],
    ["days are no unit of Go", "1d", undefined],
    ["Go takes no space", " 5s", undefined],
    ["more than a day is a duration", "48h", 172_800],
    ["microseconds", "2000000us", 2],
    ["microseconds with the sign for micro", "2000000µs", 2],
    ["a nanosecond costs a millisecond", "1ns", 0.001],
    ["a plus sign", "+5s", 5],
    ["a fraction without a leading digit", ".5m", 30],
    ["a fraction without a trailing digit", "5.s", 5],
    ["a negative time has passed already", "-5s", 0],
    ["a point alone is no number", ".s", undefined],
    ["a sign alone is no duration", "+", undefined],
    ["a second sign", "--5s", undefined],
    ["something behind the last unit", "5s!", undefined],
    ["64 characters", "1s".repeat(32), 32],
    ["more than 64 characters", "1s".repeat(33), undefined],
  ];
  for (const [name, text, seconds] of cases) {
    it(name, () => assert.equal(parseGoDuration(text), seconds === undefined ? undefined : seconds * 1000));
  }
});
