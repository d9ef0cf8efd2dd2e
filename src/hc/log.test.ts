import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLevel } from "../codes/log-level.ts";
import { type LogFormat, startLog } from "./log.ts";

function lines(level: LogLevel, format: LogFormat, run: (log: ReturnType<typeof startLog>) => void): string[] {
  const written: string[] = [];
  run(
    startLog(
      level,
      format,
      (line) => written.push(line),
      () => new Date(0),
    ),
  );
  return written;
}

test("a transition reads as the runbook greps it", () => {
  const [line] = lines("info", "text", (log) =>
    log("info", "transition", { from: "OPEN", to: "DRAINING", cause: "sigterm", inFlight: 3, elapsed: "1.0s" }),
  );
  const expected = "event=transition from=OPEN to=DRAINING cause=sigterm inFlight=3 elapsed=1.0s\n";
  assert.equal(line, `time=1970-01-01T00:00:00.000Z level=info ${expected}`);
});

test("a value that would break the line is quoted, and one that is undefined is left out", () => {
  const [line] = lines("info", "text", (log) =>
    log("warn", "x", { a: 'two "words"\n', b: undefined, c: "", d: "a=b" }),
  );
  assert.equal(line, 'time=1970-01-01T00:00:00.000Z level=warn event=x a="two \\"words\\"\\n" c="" d="a=b"\n');
});

test("JSON has the same fields, and the words that one greps", () => {
  const [line = ""] = lines("info", "json", (log) => log("info", "x", { from: "OPEN", inFlight: 0, no: undefined }));
  assert.deepEqual(JSON.parse(line), {
    time: "1970-01-01T00:00:00.000Z",
    level: "info",
    event: "x",
    from: "OPEN",
    inFlight: 0,
    msg: "event=x from=OPEN inFlight=0",
  });
  assert.match(line, /event=x from=OPEN inFlight=0/);
});

test("what is below the level is not written", () => {
  const written = lines("warn", "text", (log) => {
    log("info", "a");
    log("warn", "b");
    log("error", "c");
  });
  assert.equal(written.length, 2);
});
