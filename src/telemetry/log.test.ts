import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loggerTo } from "./log.ts";

function lineOf(fields: object): { line: string; fields: Record<string, unknown> } {
  let line = "";
  loggerTo("info", {
    write(text: string) {
      line += text;
    },
  }).info(fields);
  return { line, fields: JSON.parse(line) };
}

describe("a line of the log", () => {
  it("has texts of at most 256 characters", () => {
    const { fields } = lineOf({ event: "admission", name: "n".repeat(3_000_000), uid: "u".repeat(256) });
    assert.equal(fields.name, `${"n".repeat(256)}…`);
    assert.equal(fields.uid, "u".repeat(256));
    assert.equal(fields.event, "admission");
  });

  it("has room for what an API server says of a permission that is missing", () => {
    const { fields } = lineOf({ event: "source-unreachable", problem: "p".repeat(3000) });
    assert.equal(fields.problem, `${"p".repeat(1024)}…`);
  });

  it("stays one line of printable text, whatever a field says", () => {
    const { line, fields } = lineOf({ event: "admission", owner: "\u001b[31m\nlevel=error" });
    assert.equal(line.trimEnd().split("\n").length, 1);
    assert.ok(!line.includes("\u001b"));
    assert.equal(fields.owner, "\u001b[31m\nlevel=error");
  });

  it("has errors with their type, and a message and a stack that are cut", () => {
    const error = Object.assign(new TypeError("m".repeat(10_000)), { code: "E_ONE" });
    const { type, message, stack, code } = lineOf({ err: error }).fields.err as Record<string, string>;
    assert.deepEqual([type, message, code], ["TypeError", `${"m".repeat(256)}…`, "E_ONE"]);
    assert.ok((stack ?? "").length <= 4097);
  });

  it("takes what is thrown and is no error", () => {
    assert.equal(lineOf({ err: "just a text" }).fields.err, "just a text");
  });
});
