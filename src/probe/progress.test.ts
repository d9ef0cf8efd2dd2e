import assert from "node:assert/strict";
import { test } from "node:test";
import { progressLine, progressText } from "./progress.ts";
import { Recorder } from "./recorder.ts";

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) };
}

test("on a terminal the line is wiped before a sentence and at the end", (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const stream = terminal(true);
  const line = progressLine(stream, new Recorder());
  context.mock.timers.tick(250);
  line.say("trigger: done");
  line.stop();
  context.mock.timers.tick(1000);
  const wipe = "\r\u001b[K";
  assert.equal(stream.written.length, 3);
  assert.match(stream.written[0] ?? "", /sent 0 {2}ok 0 {2}lost 0 {2}in flight 0$/);
  assert.deepEqual(stream.written.slice(1), [`${wipe}trigger: done\n`, wipe]);
});

test("in a pipe there are only sentences", () => {
  const stream = terminal(false);
  const line = progressLine(stream, new Recorder());
  line.say("trigger: done");
  line.stop();
  assert.deepEqual(stream.written, ["trigger: done\n"]);
});

test("the line fits into 80 columns", () => {
  const recorder = new Recorder();
  for (let index = 0; index < 3_000_000; index += 1) recorder.start();
  assert.ok(progressText(recorder).length < 80);
});
