import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { named, quoted } from "./quoted.ts";

describe("quoted", () => {
  const cases: readonly [string, string, string][] = [
    ["a plain value stands in double quotes", "36 sec", '"36 sec"'],
    ["quotes in it are escaped", 'a "b"', '"a \\"b\\""'],
    ["a line feed is escaped, for which the API server would drop the warning", "a\nb", '"a\\nb"'],
    ["NUL is escaped", "a\u0000b", '"a\\u0000b"'],
    ["DEL is escaped, which JSON leaves as it is", "a\u007fb", '"a\\u007fb"'],
    ["the C1 controls are escaped, which Go's unicode.IsControl counts as well", "a\u0085\u009f", '"a\\u0085\\u009f"'],
    ["half of a surrogate pair becomes a replacement character", "a\ud800", '"a\ufffd"'],
    ["what ends a line or turns it round is escaped", "a\u2028\u202e", '"a\\u2028\\u202e"'],
    ["60 characters are shown whole", "x".repeat(60), `"${"x".repeat(60)}"`],
    ["a longer value is cut", "x".repeat(61), `"${"x".repeat(60)}…"`],
    ["a pair that is cut in half does not leave half of it", `${"x".repeat(59)}😀😀`, `"${"x".repeat(59)}\ufffd…"`],
  ];
  for (const [name, value, text] of cases) {
    it(name, () => assert.equal(quoted(value), text));
  }
});

describe("named", () => {
  it("leaves an ordinary name as it is", () => {
    for (const name of ["istio-proxy", "requests.nvidia.com/gpu", "Http"]) assert.equal(named(name), name);
  });
  it("quotes everything else", () => {
    assert.equal(named(""), '""');
    assert.equal(named("a\u001b[31m"), '"a\\u001b[31m"');
    assert.equal(named("x".repeat(64)), `"${"x".repeat(60)}…"`);
    assert.equal(named("a\n"), '"a\\n"');
  });
});
