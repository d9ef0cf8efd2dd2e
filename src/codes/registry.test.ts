import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CodeName, codes, lineOf, notice } from "./registry.ts";

describe("the registry", () => {
  it("has one code a number, and severities that the program knows", () => {
    for (const [name, code] of Object.entries(codes)) {
      assert.match(name, /^GG[1-7][0-9]{2}$/);
      assert.ok(["info", "warning", "error"].includes(code.severity));
    }
  });

  it("explains every code in whole sentences", () => {
    for (const [name, { meaning, remedy }] of Object.entries(codes)) {
      for (const text of [meaning, remedy]) assert.match(text, /^\S.{10,}\.$/s, name);
    }
  });

  it("has only errors that are this program's own", () => {
    const errors = Object.entries(codes).filter(([, { severity }]) => severity === "error");
    assert.ok(errors.every(([name]) => /^GG[567]/.test(name)));
  });
});

describe("sentences", () => {
  const cases: readonly [string, CodeName, () => { text: string }, string][] = [
    [
      "an override names itself, its value, what is right and what holds instead",
      "GG101",
      () =>
        notice("GG101", {
          annotation: "gracegate.dev/drain-timeout",
          value: "36 sec",
          is: "a duration",
          right: "36s",
          instead: "Using 36s from GracePolicy shop/default.",
        }),
      'gracegate.dev/drain-timeout: "36 sec" is not a duration; write 36s. Using 36s from GracePolicy shop/default.',
    ],
    [
      "an unknown override suggests the nearest",
      "GG102",
      () => notice("GG102", { annotation: "gracegate.dev/drain-timout", nearest: "gracegate.dev/drain-timeout" }),
      '"gracegate.dev/drain-timout" is not an override of Gracegate and is ignored; did you mean gracegate.dev/drain-timeout?',
    ],
    [
      "an unknown override without a near one names the list",
      "GG102",
      () => notice("GG102", { annotation: "gracegate.dev/x", nearest: undefined }),
      '"gracegate.dev/x" is not an override of Gracegate and is ignored; docs/overrides.md lists them.',
    ],
    [
      "a duration of digits is repeated with its unit",
      "GG203",
      () => notice("GG203", { key: "drainDuration", value: "40" }),
      'proxy.istio.io/config: drainDuration "40" is not a duration with a unit, which Istio refuses; write 40s.',
    ],
    [
      "another duration gets an example",
      "GG203",
      () => notice("GG203", { key: "drainDuration", value: "soon" }),
      'proxy.istio.io/config: drainDuration "soon" is not a duration with a unit, which Istio refuses; write 40s.',
    ],
    [
      "a minimum drain of digits is repeated with its unit",
      "GG204",
      () => notice("GG204", { value: "12" }),
      'MINIMUM_DRAIN_DURATION "12" is not a duration with a unit, so the proxy uses 5s; write 12s.',
    ],
    [
      "a field of a policy stands behind the file",
      "GG601",
      () => notice("GG601", { where: "p.yaml", path: "spec.mode", reason: "is wrong" }),
      "p.yaml: spec.mode is wrong.",
    ],
    [
      "a whole file has no field",
      "GG601",
      () => notice("GG601", { where: "p.yaml", path: "", reason: "cannot be read" }),
      "p.yaml: cannot be read.",
    ],
  ];
  for (const [name, , make, text] of cases) {
    it(name, () => assert.equal(make().text, text));
  }

  it("a line ends with the code", () => {
    assert.match(lineOf(notice("GG303", {})), /graceful termination\. \[GG303\]$/);
  });

  it("names of many variables are cut short, so that the API server shows the warning", () => {
    const names = Array.from({ length: 500 }, (_, index) => `VARIABLE_${index}`);
    const { text } = notice("GG202", { names });
    assert.match(text, /"VARIABLE_0", "VARIABLE_1", .* and 495 more was/);
    assert.ok(text.length < 400, text);
  });

  it("one name stands alone", () => {
    assert.match(notice("GG202", { names: ["RETRIES"] }).text, /proxyMetadata "RETRIES" was not a string/);
  });
});
