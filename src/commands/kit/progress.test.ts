import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { clearProgress, progress, showProgress } from "./progress.ts";
import { say } from "./say.ts";

const ERASE = "\r\u001b[2K";

describe("the line of progress", () => {
  const { write, isTTY, columns } = process.stderr;
  let written: string[];

  beforeEach(() => {
    written = [];
    process.stderr.write = (text: string | Uint8Array) => written.push(String(text)) > 0;
    Object.assign(process.stderr, { isTTY: true, columns: 20 });
  });

  afterEach(() => {
    clearProgress();
    Object.assign(process.stderr, { write, isTTY, columns });
  });

  it("is written over, and cut before the terminal ends", () => {
    showProgress("OPEN");
    showProgress("x".repeat(30));
    assert.deepEqual(written, [`${ERASE}OPEN`, `${ERASE}${"x".repeat(19)}`]);
  });

  it("goes before a sentence is said, once", () => {
    showProgress("OPEN");
    say("done");
    say("ended");
    assert.deepEqual(written.slice(1), [ERASE, "done\n", "ended\n"]);
  });

  it("comes by itself when a command has taken two seconds", (context) => {
    context.mock.method(performance, "now", () => 1999);
    progress(() => "soon");
    assert.deepEqual(written, []);
    context.mock.method(performance, "now", () => 2001);
    progress(() => "now");
    progress(() => "too soon after it");
    assert.deepEqual(written, [`${ERASE}now`]);
  });

  it("is not there in a pipe", () => {
    process.stderr.isTTY = false;
    showProgress("OPEN");
    say("a sentence that is longer than twenty columns");
    assert.deepEqual(written, ["a sentence that is longer than twenty columns\n"]);
  });
});
