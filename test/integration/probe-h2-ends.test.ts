/**
 * Every way in which an HTTP/2 stream can end has its class, frame by frame.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { http2Client } from "../../src/probe/http2.ts";
import type { RequestOutcome } from "../../src/probe/outcome.ts";
import { frameServer, frames, type Step } from "./h2-frames.ts";
import { loadSpec, specFor } from "./run-specs.ts";

const { status, length, data, trailers, astray, reset, goaway } = frames;
const NO_ERROR = 0;
const INTERNAL_ERROR = 2;
const CANCEL = 8;
const SESSION_ERROR = "Session closed with error code 2";

const cases: readonly [string, readonly Step[], RequestOutcome["kind"], string?][] = [
  ["END_STREAM on DATA", [status(200), data("half", true)], "ok"],
  ["END_STREAM on HEADERS", [status(200, true)], "ok"],
  ["END_STREAM on trailers", [status(200), data("half"), trailers()], "ok"],
  ["END_STREAM, then NO_ERROR at once", [status(200), data("half", true), reset(NO_ERROR)], "ok"],
  ["END_STREAM, then NO_ERROR later", [status(200), data("half", true), "pause", reset(NO_ERROR)], "ok"],
  ["NO_ERROR in the body at once", [status(200), data("half"), reset(NO_ERROR)], "truncated"],
  ["NO_ERROR in the body later", [status(200), data("half"), "pause", reset(NO_ERROR)], "truncated"],
  ["NO_ERROR after the head", [status(200), reset(NO_ERROR)], "truncated"],
  ["NO_ERROR before the length", [length(9), data("half"), reset(NO_ERROR)], "truncated"],
  ["NO_ERROR at the length", [length(4), data("half"), reset(NO_ERROR)], "ok"],
  ["NO_ERROR before the head", [reset(NO_ERROR)], "stream-reset", "NO_ERROR"],
  ["CANCEL in the body", [status(200), data("half"), "pause", reset(CANCEL)], "stream-reset", "CANCEL"],
  ["a whole 500", [status(500), data("half", true)], "5xx", "500"],
  ["a 500 that FIN cuts", [status(500), data("half"), "pause", "end"], "truncated"],
  ["a 500 that NO_ERROR cuts", [status(500), data("half"), reset(NO_ERROR)], "truncated"],
  ["FIN before the head", ["pause", "end"], "closed"],
  ["FIN in the body", [status(200), data("half"), "pause", "end"], "truncated"],
  ["GOAWAY with an error that counts us in", [goaway(1, INTERNAL_ERROR)], "error", SESSION_ERROR],
  [
    "GOAWAY with an error in the body",
    [status(200), data("half"), "pause", goaway(1, INTERNAL_ERROR)],
    "error",
    SESSION_ERROR,
  ],
  ["GOAWAY with an error that leaves us out", [goaway(0, INTERNAL_ERROR)], "goaway"],
  ["a protocol error", [astray()], "error", "Protocol error"],
  ["the same in the body", [status(200), data("half"), "pause", astray()], "error", "Protocol error"],
  [
    "the same, and FIN for the client's GOAWAY",
    [status(200), "pause", astray(), "pause", "end"],
    "error",
    "Protocol error",
  ],
  ["an answer that is not HTTP/2", [Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")], "error", "Protocol error"],
];

describe("each end of a stream has its class", { concurrency: 8 }, () => {
  for (const [name, steps, kind, detail = ""] of cases) {
    test(`${name} is ${kind}`, async () => {
      const server = await frameServer(steps);
      const { spec } = loadSpec([server.port]);
      const client = http2Client(spec.client);
      const [target] = spec.targets;
      assert.ok(target);
      const outcome = await client.request({ target, path: "/", lane: 0, timeoutMs: 3000, lines: undefined });
      client.close();
      await server.stop();
      assert.deepEqual([outcome?.kind, outcome?.detail], [kind, detail]);
    });
  }
});

test("requests queued behind one that times out while connecting are timeouts too", async () => {
  // It accepts and never answers TLS's hello.
  const server = await frameServer([]);
  const { scenario } = loadSpec([]);
  const spec = specFor([`https://127.0.0.1:${server.port}`], scenario);
  const client = http2Client(spec.client);
  const [target] = spec.targets;
  assert.ok(target);
  const ask = (timeoutMs: number) => client.request({ target, path: "/", lane: 0, timeoutMs, lines: undefined });
  const outcomes = await Promise.all([ask(20), ask(5000), ask(5000)]);
  client.close();
  await server.stop();
  for (const outcome of outcomes) assert.deepEqual([outcome?.kind, outcome?.phase], ["timeout", "connect"]);
});
