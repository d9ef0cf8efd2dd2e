import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { DURATION_PATTERN, MAX_DURATION, parseDuration, parseMilliseconds } from "./duration.ts";
import { formatDuration, ms, seconds } from "./milliseconds.ts";

describe("parseDuration", () => {
  const read: readonly [string, unknown, number][] = [
    ["a number is seconds", 40, 40],
    ["a fraction of a second is rounded up", 1.2, 2],
    ["a text of digits is seconds", "40", 40],
    ["seconds with their unit", "40s", 40],
    ["minutes and seconds are added", "1m30s", 90],
    ["an hour", "1h", 3600],
    ["units may come in any order, as Go takes them", "30s1m", 90],
    ["half a second is rounded up, never down", "500ms", 1],
    ["exactly a second of milliseconds is one", "1000ms", 1],
    ["one millisecond more costs a second", "1001ms", 2],
    ["half an hour", "0.5h", 1800],
    ["a product of fractions does not cost a second", "1.1m", 66],
    ["the least that Go reads costs a second", "0.000001ms", 1],
    ["below a nanosecond Go reads nothing", "0.0000009ms", 0],
    ["each part loses what is below a nanosecond", "0.0000009ms0.0000009ms", 0],
    ["64 characters are read", "1s".repeat(32), 32],
    ["zero is a duration", "0", 0],
    ["zero seconds is a duration", "0s", 0],
    ["spaces around it are none of it", " 36s\n", 36],
    ["a day is the most", "24h", 86_400],
  ];
  for (const [name, value, expected] of read) {
    it(name, () => assert.deepEqual(parseDuration(value), { ok: true, seconds: expected }));
  }

  const refused: readonly [string, unknown, string][] = [
    ["a negative number", -1, "it is negative"],
    ["a negative text", "-5s", "it is negative"],
    ["NaN", Number.NaN, "it is not a finite number"],
    ["Infinity", Number.POSITIVE_INFINITY, "it is not a finite number"],
    ["an empty text", "", "it is empty"],
    ["spaces only", "  ", "it is empty"],
    ["days, which Go does not know", "1d", 'the unit "d" is unknown'],
    ["a unit with a space", "36 sec", "a number lacks its unit"],
    ["a word as unit", "36sec", 'the unit "sec" is unknown'],
    ["a fraction without a unit", "1.5", "a number lacks its unit"],
    ["a last number without a unit", "1m30", "a number lacks its unit"],
    ["words", "soon", "it is not a number with the units ms, s, m or h"],
    ["something behind the duration", "5s!", "it is not a number with the units ms, s, m or h"],
    ["a plus sign", "+5s", "it is not a number with the units ms, s, m or h"],
    ["a name of Object.prototype as unit", "5constructor", 'the unit "constructor" is unknown'],
    ["more than a day", "25h", "it is longer than 24h"],
    ["a number that only an attacker would write", "9".repeat(400), "it is longer than 24h"],
    ["a text that nobody means", `${"1s".repeat(32)}x`, "it is longer than 64 characters"],
    ["a boolean", true, "it is neither a text nor a number"],
    ["null", null, "it is neither a text nor a number"],
    ["nothing", undefined, "it is neither a text nor a number"],
  ];
  for (const [name, value, reason] of refused) {
    it(`refuses ${name}`, () => assert.deepEqual(parseDuration(value), { ok: false, reason }));
  }

  it("is written in seconds, and read back the same", () => {
    assert.equal(formatDuration(seconds(90)), "90s");
    assert.deepEqual(parseDuration(formatDuration(seconds(MAX_DURATION))), { ok: true, seconds: MAX_DURATION });
  });

  const exact: readonly [string, unknown, number, string][] = [
    ["half a second is half a second", "500ms", 500, "500ms"],
    ["a second and a half", "1500ms", 1500, "1.5s"],
    ["a fraction of a number", 2.5, 2500, "2.5s"],
    ["the least that Go reads costs a millisecond", "0.000001ms", 1, "1ms"],
    ["a whole number has no fraction", "1m30s", 90_000, "90s"],
    ["nothing", "0s", 0, "0s"],
  ];
  for (const [name, value, milliseconds, text] of exact) {
    it(`to the millisecond: ${name}`, () => {
      assert.deepEqual(parseMilliseconds(value), { ok: true, milliseconds });
      assert.equal(formatDuration(ms(milliseconds)), text);
    });
  }

  it("every span of a day is read as it was written", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_DURATION * 1000 }), (milliseconds) => {
        assert.deepEqual(parseMilliseconds(formatDuration(ms(milliseconds))), { ok: true, milliseconds });
        assert.equal(seconds(milliseconds / 1000), milliseconds);
      }),
    );
  });

  it("the schema's pattern takes what is parsed and refuses what is not", () => {
    const pattern = new RegExp(DURATION_PATTERN);
    for (const [, value] of read.slice(0, -2)) {
      if (typeof value === "string") assert.match(value, pattern);
    }
    for (const value of ["-5s", "", "1d", "36 sec", "1.5", "1m30", "soon"]) assert.doesNotMatch(value, pattern);
  });
});
