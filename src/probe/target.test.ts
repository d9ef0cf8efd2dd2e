import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTarget } from "./target.ts";

test("a target is read", () => {
  const cases: readonly [string, string, string, number, string | undefined][] = [
    ["http://shop", "http", "shop", 80, undefined],
    ["https://shop/", "https", "shop", 443, undefined],
    ["http://shop:8080/a?b=c", "http", "shop", 8080, "/a?b=c"],
    ["http://[::1]:81", "http", "::1", 81, undefined],
    ["tcp://db:5432", "tcp", "db", 5432, undefined],
  ];
  for (const [word, scheme, host, port, path] of cases) {
    const parsed = parseTarget(word);
    assert.ok(parsed.ok, word);
    const { label, ...rest } = parsed.target;
    assert.deepEqual(rest, { scheme, host, port, path });
    assert.equal(label, host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`);
  }
});

test("a word that is no target is refused with the reason", () => {
  const cases: readonly [string, RegExp][] = [
    ["shop:80", /"shop:80" is not a target; write/],
    ["", /"" is not a target/],
    ["ftp://shop", /is not a target/],
    ["tcp://db", /"tcp:\/\/db" names no port/],
    ["tcp://", /names no host/],
    ["http://me:secret@shop", /"http:\/\/…@shop" has a user or password/],
  ];
  for (const [word, reason] of cases) {
    const parsed = parseTarget(word);
    assert.ok(!parsed.ok, word);
    assert.match(parsed.reason, reason);
  }
});
