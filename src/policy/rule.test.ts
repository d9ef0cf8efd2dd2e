import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brokenBy, type Rule, validations } from "./rule.ts";

const even: Rule<number> = { cel: "self % 2 == 0", message: "must be even", isBroken: (value) => value % 2 !== 0 };
const small: Rule<number> = {
  cel: "self < 10",
  message: "must be small",
  fieldPath: ".size",
  isBroken: (value) => value >= 10 && [{ reason: `is ${value}, not small` }, { at: ".other" }],
};

describe("a rule", () => {
  it("is told to the API server as CEL, without what only this program knows", () => {
    assert.deepEqual(validations([even, small]), {
      "x-kubernetes-validations": [
        { rule: "self % 2 == 0", message: "must be even" },
        { rule: "self < 10", message: "must be small", fieldPath: ".size" },
      ],
    });
    assert.deepEqual(validations([]), {});
  });

  const cases: readonly [string, number, readonly (readonly [string, string])[]][] = [
    ["that holds says nothing", 4, []],
    ["that is broken says its sentence, about the value itself", 3, [["", "must be even"]]],
    [
      "says more of a place where it knows more, and at its own place unless it names another",
      12,
      [
        [".size", "is 12, not small"],
        [".other", "must be small"],
      ],
    ],
  ];
  for (const [name, value, places] of cases) {
    it(name, () =>
      assert.deepEqual(
        brokenBy([even, small], value).map(({ at, reason }) => [at, reason]),
        places,
      ),
    );
  }
});
