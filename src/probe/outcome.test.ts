import assert from "node:assert/strict";
import { test } from "node:test";
import { describe } from "./client.ts";
import { errorKind, type Kind, kinds, type RequestOutcome, type Retry, retryOf, statusKind } from "./outcome.ts";

const base: RequestOutcome = { kind: "ok", detail: "", phase: "wait", bytes: 0, reused: false, backend: undefined };

test("a loss is hidden by the retry that its class and phase allow", () => {
  const cases: readonly [string, Partial<RequestOutcome>, Retry][] = [
    ["nothing was sent to a port that refuses", { kind: "refused", phase: "connect" }, "any"],
    ["GOAWAY says that the stream was not processed", { kind: "goaway" }, "any"],
    ["REFUSED_STREAM says the same", { kind: "stream-reset", detail: "REFUSED_STREAM" }, "any"],
    ["a cancelled stream may have been processed", { kind: "stream-reset", detail: "CANCEL" }, "idempotent"],
    ["a reset before the request was sent", { kind: "reset", phase: "connect" }, "any"],
    ["a reset before the answer", { kind: "reset" }, "idempotent"],
    ["a close before the answer", { kind: "closed" }, "idempotent"],
    ["a reset in the body", { kind: "reset", phase: "body" }, "none"],
    ["a cancelled body", { kind: "stream-reset", detail: "CANCEL", phase: "body" }, "none"],
    ["a truncated body", { kind: "truncated", phase: "body" }, "none"],
    ["a 503", { kind: "5xx", detail: "503" }, "status"],
    ["a 500 is the application's own", { kind: "5xx", detail: "500" }, "none"],
    ["a timeout", { kind: "timeout" }, "none"],
  ];
  for (const [name, outcome, retry] of cases) assert.equal(retryOf({ ...base, ...outcome }), retry, name);
});

test("a status has its class", () => {
  const cases: readonly [number, Kind][] = [
    [200, "ok"],
    [204, "ok"],
    [301, "status"],
    [404, "status"],
    [499, "status"],
    [500, "5xx"],
    [599, "5xx"],
  ];
  for (const [status, kind] of cases) assert.equal(statusKind(status), kind, String(status));
});

test("a system error has its class; ECONNRESET without a system call is Node's word for FIN", () => {
  const cases: readonly [string, string | undefined, Kind][] = [
    ["ECONNREFUSED", "connect", "refused"],
    ["ECONNRESET", "read", "reset"],
    ["ECONNRESET", undefined, "closed"],
    ["EPIPE", "write", "reset"],
    ["ETIMEDOUT", "connect", "timeout"],
    ["ENOTFOUND", "getaddrinfo", "error"],
  ];
  for (const [code, syscall, kind] of cases) {
    const error: NodeJS.ErrnoException = Object.assign(new Error(code), { code, ...(syscall && { syscall }) });
    assert.equal(errorKind(error), kind, `${code} ${syscall}`);
  }
});

test("every outcome has words that say where it broke", () => {
  const cases: readonly [Partial<RequestOutcome>, string][] = [
    [{ kind: "5xx", detail: "502" }, "502"],
    [{ kind: "reset", phase: "body", bytes: 812 }, "reset after 812 bytes"],
    [{ kind: "closed" }, "closed without an answer"],
    [{ kind: "closed", phase: "body", bytes: 32 }, "closed after 32 bytes"],
    [{ kind: "stream-reset", detail: "CANCEL" }, "h2 stream reset CANCEL"],
    [{ kind: "timeout", phase: "connect" }, "timeout while connecting"],
    [{ kind: "refused", phase: "connect" }, "connection refused"],
  ];
  for (const [outcome, words] of cases) assert.equal(describe({ ...base, ...outcome }), words);
  for (const kind of kinds) assert.notEqual(describe({ ...base, kind, detail: "x" }), "");
});
