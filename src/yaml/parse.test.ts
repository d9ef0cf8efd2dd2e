import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseYaml } from "./parse.ts";
import { readYaml } from "./read.ts";

describe("a text that is not YAML", () => {
  const cases: readonly [name: string, text: string, at: number, reason: RegExp][] = [
    ["stops at its first problem", "a: ]\nb: ]\n", 3, /Unexpected content/],
    [
      "may not nest deeper than anything in Kubernetes, in brackets",
      `a: ${"[".repeat(100_000)}`,
      202,
      /nested too deeply/,
    ],
    ["nor in dashes", "- ".repeat(100_000), 400, /nested too deeply/],
    ["has a key without its colon", "a: b\nc\nd: e\n", 5, /key without its colon/],
    ["has a key of more than 1024 characters", `${"x".repeat(1025)}: y`, 1025, /mapping is not allowed/],
    ["has a tab where spaces are wanted", "a:\n\tb: c\n", 3, /Tabs are not allowed/],
    ["has a control character", "a: \u0001", 3, /control characters/],
    ["has an unknown escape", 'a: "\\q"', 4, /unknown escape/],
    ["has an anchor that contains itself", "a: &a [*a]", 3, /contains itself/],
    ["has a value that JSON does not have", "a: .inf", 3, /no value of JSON/],
    ["has a key that is a list", "? [a]\n: b\n", 2, /a key must be a text/],
    ["has a tag that its value is not", "a: !!int x", 3, /no int, as its tag says/],
  ];
  for (const [name, text, at, reason] of cases) {
    it(name, () => {
      const read = readYaml(text);
      assert.ok(!read.ok);
      assert.match(read.reason, reason);
      assert.equal(read.at, at);
    });
  }
});

describe("the time of hostile texts grows with their length", () => {
  const shapes: readonly [name: string, make: (size: number) => string][] = [
    ["keys", (size) => "k: v\n".repeat(size / 5)],
    ["the same in braces", (size) => `a: {${"b: c,".repeat(size / 5)}}`],
    ["commas", (size) => `a: [${"b,".repeat(size / 2)}]`],
    ["question marks", (size) => `a: {${"?,".repeat(size / 2)}}`],
    ["brackets that close", (size) => `a: b\n${"]".repeat(size)}`],
    ["brackets that open and close", (size) => `a: [${"[],".repeat(size / 3)}]`],
    ["blank lines", (size) => `a: b${"\n".repeat(size)}`],
    ["blank lines with spaces", (size) => `a: b\n${"  \n".repeat(size / 3)}`],
    ["blanks", (size) => `a: b${" ".repeat(size)}c`],
    ["tabs", (size) => `a: b\n ${"\t".repeat(size)}c`],
    ["carriage returns in quotes", (size) => `a: "${"x\r".repeat(size / 2)}"`],
    ["separators of Unicode", (size) => `a: "${"x\u2028".repeat(size / 2)}"`],
    ["escapes", (size) => `a: "${"\\n".repeat(size / 2)}"`],
    ["quotes", (size) => `a: '${"''".repeat(size / 2)}'`],
    ["lines of a block text", (size) => `a: |\n${" x\n".repeat(size / 3)}`],
    ["blank lines of a block text", (size) => `a: >\n${" \n".repeat(size / 2)} x`],
    ["anchors", (size) => `a: ${"&a ".repeat(size / 3)}x`],
    ["anchors of values", (size) => "- &a x\n".repeat(size / 7)],
    ["hashes", (size) => `a: b ${"#".repeat(size)}`],
    ["colons", (size) => `a: ${":".repeat(size)}`],
    ["digits", (size) => `a: ${"1".repeat(size)}x`],
    ["underscores", (size) => `a: 1${"_".repeat(size)}x`],
  ];
  const size = 60_000;
  const best = (text: string) => {
    const times = Array.from({ length: 3 }, () => {
      const start = process.cpuUsage();
      readYaml(text);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    });
    return Math.min(...times);
  };
  for (const [name, make] of shapes) {
    it(name, () => {
      // Four times the text: 4 if it is linear, 16 if it is quadratic.
      const [once, more] = [best(make(size)), best(make(size * 4))];
      assert.ok(more < Math.max(once, 2000) * 10, `${once} µs, ${more} µs`);
    });
  }
});

it("a place is where it is in the text", () => {
  const text = "# c\na: &x !!str 'b'  # d\n? e\n: - f\n  - {g: h}\n";
  const parsed = parseYaml(text);
  assert.ok(parsed.ok && parsed.root?.kind === "mapping");
  const [a, e] = parsed.root.pairs;
  assert.equal(text.slice(a?.value.from, a?.value.end), "&x !!str 'b'");
  assert.equal(text.slice(a?.value.start, a?.value.end), "'b'");
  assert.equal(text.slice(e?.from, e?.value.end), "? e\n: - f\n  - {g: h}");
});
