import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareQuantities, formatCpu, formatMemory, parseQuantity, QUANTITY_PATTERN } from "./quantity.ts";

describe("parseQuantity", () => {
  const read: readonly [string, unknown, number][] = [
    ["a number is itself", 2, 2],
    ["whole cores", "2", 2],
    ["millicores", "500m", 0.5],
    ["mebibytes", "64Mi", 67_108_864],
    ["megabytes are not mebibytes", "64M", 64_000_000],
    ["a fraction of a gibibyte", "1.5Gi", 1_610_612_736],
    ["a decimal exponent", "1e3", 1000],
    ["a negative exponent", "5e-1", 0.5],
    ["an E alone is exa", "1E", 1e18],
    ["Ei is exbi", "1Ei", 2 ** 60],
    ["a fraction without a leading digit", ".5", 0.5],
    ["a fraction without a trailing digit", "5.", 5],
    ["a plus sign", "+5", 5],
  ];
  for (const [name, value, number] of read) {
    it(name, () => assert.equal(parseQuantity(value), number));
  }

  const refused: readonly [string, unknown][] = [
    ["a negative number", -1],
    ["a negative text", "-1"],
    ["NaN", Number.NaN],
    ["an unknown suffix", "5Q"],
    ["a suffix of the wrong case", "5mi"],
    ["a space", "5 Mi"],
    ["an empty text", ""],
    ["a name of Object.prototype as suffix", "5constructor"],
    ["a list", ["5"]],
    ["nothing", undefined],
  ];
  for (const [name, value] of refused) {
    it(`${name} is no quantity`, () => assert.equal(parseQuantity(value), undefined));
  }

  it("the schema's pattern takes the usual quantities and no words", () => {
    const pattern = new RegExp(QUANTITY_PATTERN);
    for (const value of ["1", "500m", "64Mi", "1.5Gi", "1e3"]) assert.match(value, pattern);
    for (const value of ["", "Mi", "-1", "5Q", "64 Mi"]) assert.doesNotMatch(value, pattern);
  });
});

describe("writing quantities", () => {
  it("whole cores have no suffix", () => assert.equal(formatCpu(2), "2"));
  it("parts of a core are millicores", () => assert.equal(formatCpu(0.25), "250m"));
  it("less than a millicore is rounded down, to stay within a limit", () => assert.equal(formatCpu(0.0109), "10m"));
  it("a sum of fractions is not a millicore short", () => assert.equal(formatCpu(0.1 + 0.2), "300m"));
  it("nothing is 0", () => assert.equal(formatCpu(0), "0"));
  it("whole mebibytes", () => assert.equal(formatMemory(64 * 2 ** 20), "64Mi"));
  it("other numbers are bytes, rounded down", () => assert.equal(formatMemory(1000.9), "1000"));
  it("no memory is 0 and not 0Mi", () => assert.equal(formatMemory(0), "0"));
});

describe("compareQuantities", () => {
  const cases: readonly (readonly [string, string, number | undefined])[] = [
    ["1.1", "1100m", 0],
    ["4350m", "4.35", 0],
    ["1Ki", "1024", 0],
    ["1e3", "1k", 0],
    ["0.5Gi", "512Mi", 0],
    [".5", "500m", 0],
    ["999Mi", "1Gi", -1],
    ["4.000000001", "4", 1],
    ["4.0000000001", "4", 1],
    ["4.0000000001", "4.000000001", 0],
    ["9007199254740993", "9007199254740992", 1],
    ["1n", "0.5n", 0],
    ["10E", "9E", 1],
    ["1 Gi", "1Gi", undefined],
    ["1", "1Qi", undefined],
  ];
  for (const [a, b, sign] of cases) it(`${a} and ${b}: ${sign}`, () => assert.equal(compareQuantities(a, b), sign));
});
