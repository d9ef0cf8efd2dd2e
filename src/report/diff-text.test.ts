import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diffText } from "./diff-text.ts";
import { type Paint, plain } from "./paint.ts";

describe("diffText", () => {
  it("marks stand before the lines", () => {
    assert.equal(
      diffText(
        [
          { mark: "+", text: "a" },
          { mark: "-", text: "b" },
          { mark: " ", text: "c" },
        ],
        plain,
      ),
      "+ a\n- b\n  c",
    );
  });
  it("a reason stands under its line, further in", () => {
    assert.equal(diffText([{ mark: "+", text: "  a: 1", reason: "because" }], plain), "+   a: 1\n        # because");
  });
  it("a long reason is wrapped to the width, and no line is longer", () => {
    const text = diffText([{ mark: "+", text: "a", reason: "one two three four five six seven" }], plain, 24);
    assert.equal(text, "+ a\n      # one two three\n        four five six\n        seven");
    assert.ok(text.split("\n").every((line) => line.length <= 24));
  });
  it("a long line is cut", () => {
    const text = diffText([{ mark: "+", text: "x".repeat(100) }], plain);
    assert.equal(text, `+ ${"x".repeat(77)}…`);
    assert.equal(text.length, 80);
  });
  it("a line as wide as the terminal is not", () => {
    assert.equal(diffText([{ mark: "+", text: "x".repeat(78) }], plain), `+ ${"x".repeat(78)}`);
  });
  it("each part has its colour, and what did not change has none", () => {
    const paint: Paint = (style, text) => `<${style}>${text}`;
    const lines = [
      { mark: "+", text: "a", reason: "why" },
      { mark: "-", text: "b" },
      { mark: " ", text: "c" },
    ] as const;
    assert.equal(diffText(lines, paint), "<green>+ a\n<dim>      # why\n<red>- b\n  c");
  });
});
