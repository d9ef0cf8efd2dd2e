import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { matches, type Selector } from "./selector.ts";

type Operator = "In" | "NotIn" | "Exists" | "DoesNotExist";
const on = (key: string, operator: Operator, values?: readonly string[]): Selector => ({
  matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }],
});
const labels = { app: "web", tier: "front" };

describe("matches", () => {
  const cases: readonly [string, Selector, boolean][] = [
    ["an empty selector matches everything", {}, true],
    ["all labels match", { matchLabels: { app: "web", tier: "front" } }, true],
    ["one label does not", { matchLabels: { app: "web", tier: "back" } }, false],
    ["a label is missing", { matchLabels: { zone: "a" } }, false],
    ["an inherited name is no label", { matchLabels: { constructor: "x" } }, false],
    ["In with the value", on("app", "In", ["shop", "web"]), true],
    ["In without it", on("app", "In", ["shop"]), false],
    ["In for a missing label", on("zone", "In", ["a"]), false],
    ["NotIn with the value", on("app", "NotIn", ["web"]), false],
    ["NotIn without it", on("app", "NotIn", ["shop"]), true],
    ["NotIn holds for a missing label", on("zone", "NotIn", ["a"]), true],
    ["Exists", on("app", "Exists"), true],
    ["Exists for a missing label", on("zone", "Exists"), false],
    ["DoesNotExist", on("zone", "DoesNotExist"), true],
    ["DoesNotExist for one that is there", on("app", "DoesNotExist"), false],
    [
      "labels and expressions must both hold",
      { matchLabels: { app: "web" }, ...on("tier", "NotIn", ["front"]) },
      false,
    ],
  ];
  for (const [name, selector, result] of cases) {
    it(name, () => assert.equal(matches(selector, labels), result));
  }
});
