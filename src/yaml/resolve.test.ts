import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parse, parseDocument } from "yaml";
import { editProxyConfig, parseProxyConfig } from "../pod/proxy-config.ts";
import { needsQuotes } from "./resolve.ts";

describe("needsQuotes", () => {
  const wrong: readonly [string, readonly string[]][] = [
    ["a bool", ["true", "True", "TRUE", "false", "yes", "No", "on", "OFF", "y", "N"]],
    ["a whole number", ["0", "3", "-3", "+3", "1_000", "007"]],
    ["an octal number", ["0o17", "017", "0O17"]],
    ["a hexadecimal number", ["0x1F", "0xff_ff", "0X1F"]],
    ["a binary number", ["0b101", "-0b1", "0B101"]],
    ["a fraction", ["1.5", ".5", "-.5", "5.", "1e3", "1.5E-3", "+1e+3"]],
    ["underscores, which go-yaml drops before it looks", ["1_0.5_0", "1e_3", "-_1", "0x_1F"]],
    ["infinity and no number", [".inf", "-.Inf", "+.INF", ".nan", ".NaN"]],
    ["a sexagesimal number", ["1:30", "190:20:30", "1:30.5"]],
    ["a date", ["2026-11-30", "2026-11-30T00:00:00Z"]],
  ];
  for (const [name, values] of wrong) {
    it(`${name} needs quotes`, () =>
      assert.deepEqual(
        values.filter((value) => !needsQuotes(value)),
        [],
      ));
  }

  it("texts that only look a little like that need none", () => {
    const texts = [
      "5s",
      "1h",
      "1m30s",
      "trueish",
      "yess",
      "v1",
      "1.2.3",
      "10.0.0.1",
      "a_b",
      "_",
      "-",
      "--",
      "1e",
      "0x",
    ];
    assert.deepEqual(texts.filter(needsQuotes), []);
  });

  it("whatever the yaml package reads as no text in version 1.1 needs quotes", () => {
    const letters = fc.constantFrom(..."0123456789_.:-+eExXoObBaAfFnNtTyY ".split(""));
    const likely = fc.array(letters, { minLength: 1, maxLength: 8 }).map((chars) => chars.join("").trim());
    fc.assert(
      fc.property(fc.oneof(likely, fc.string({ minLength: 1 })), (text) => {
        // Anchors, tags, aliases, quotes and the like are no plain scalars.
        if (/^[-&!*?|>'"%@`#{}[\],\s]*[&!*?|>'"%@`#{}[\],]/.test(text)) return;
        const document = parseDocument(`a: ${text}`, { version: "1.1", logLevel: "silent" });
        if (document.errors.length > 0) return;
        const value: unknown = document.getIn(["a"]);
        // The package takes a lone point and e0 for numbers (NaN); go-yaml does not.
        if (Number.isNaN(value) && !/nan/i.test(text)) return;
        const isText = typeof value === "string" || value === null || typeof value === "object";
        assert.ok(isText || needsQuotes(text.replace(/\s+#.*$/, "").trim()), `${text} is ${String(value)}`);
      }),
      { numRuns: 5000 },
    );
  });

  it("a value that is written under proxyMetadata is read back as the same text in version 1.1", () => {
    const values = fc.oneof(fc.string(), fc.constantFrom("true", "3", "0X1F", "1e_3", "yes", "1:30", "# x", "a: b"));
    fc.assert(
      fc.property(values, (value) => {
        // Nobody writes a null.
        fc.pre(!/^(?:~|null|)$/i.test(value));
        const parsed = parseProxyConfig("proxyMetadata:\n  A: b\n");
        assert.ok(parsed.ok);
        const text = editProxyConfig(parsed.config, [{ path: ["proxyMetadata", "NEW"], value }]);
        const read = parse(text ?? "", { version: "1.1" }) as { proxyMetadata: { NEW: unknown } };
        // The package takes a lone point and e0 for numbers (NaN); go-yaml does not.
        const isOddity = Number.isNaN(read.proxyMetadata.NEW) && !/nan/i.test(value);
        assert.ok(isOddity || read.proxyMetadata.NEW === value, JSON.stringify([value, read.proxyMetadata.NEW]));
      }),
      { numRuns: 2000 },
    );
  });
});
