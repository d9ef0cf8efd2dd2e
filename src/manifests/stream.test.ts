import assert from "node:assert/strict";
import { test } from "node:test";
import { chunksOf } from "./stream.ts";

const cases: readonly [string, readonly string[]][] = [
  ["", [""]],
  ["a: 1\n---\nb: 2\n", ["a: 1\n", "---\nb: 2\n"]],
  ["# comment\n---\na: 1\n", ["# comment\n", "---\na: 1\n"]],
  ["%YAML 1.2\n---\na: 1\n", ["%YAML 1.2\n---\na: 1\n"]],
  ["# c\n\n%YAML 1.1\r\n# d\n---\na: 1\n", ["# c\n\n%YAML 1.1\r\n# d\n---\na: 1\n"]],
  ["a: 1\n...\n%YAML 1.2\n---\nb: 2\n", ["a: 1\n...\n", "%YAML 1.2\n---\nb: 2\n"]],
  ["a: 1\n...\n# c\n---\nb: 2\n", ["a: 1\n...\n# c\n", "---\nb: 2\n"]],
  ["a: |\n  x\n%b: 1\n---\nc: 2\n", ["a: |\n  x\n%b: 1\n", "---\nc: 2\n"]],
  ["---\n---\na: 1\n", ["---\n", "---\na: 1\n"]],
];
for (const [stream, texts] of cases) {
  test(`${JSON.stringify(stream)} is ${texts.length} of a stream`, () => {
    const chunks = [...chunksOf(stream)];
    assert.deepEqual(
      chunks.map(({ text }) => text),
      texts,
    );
    assert.deepEqual(
      chunks.map(({ line }) => line),
      texts.map((_, index) => texts.slice(0, index).join("").split("\n").length),
    );
  });
}
