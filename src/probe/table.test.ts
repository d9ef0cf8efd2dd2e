import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomesOf, reportOf } from "../../test/unit/probe-report.ts";
import type { Report } from "./run.ts";
import { table } from "./table.ts";
import { verdictOf } from "./verdict.ts";

function text(report: Report): string {
  const verdict = verdictOf(report, { maxLost: undefined, max5xx: undefined, maxConnectionErrors: undefined });
  return table(report, verdict, (_, words) => words);
}

const counters = { wretr: 48, wredis: 0, econ: 0, eresp: 24, cli_abrt: 0, srv_abrt: 0 };

test("the table says what was lost, when, where, and who would have hidden it", () => {
  const words = text(reportOf());
  for (const line of [
    "probe load, HTTP/1.1, 127.0.0.1:8080, 127.0.0.1:8081",
    "5xx                                2   502 × 1, 503 × 1",
    "closed without an answer           3   2 on reused connections",
    "lost                               5   of 100 (5.00 %)",
    "latency         p50 1.5 ms     p90 2.0 ms     p99 40 ms      max 1.23 s",
    "       3  no byte of an answer came: hidden for GET, PUT, DELETE, not POST",
    "       5  127.0.0.1:8080",
    "   T+0.099 s  127.0.0.1:8080  new       50 ms  502",
    "              and 1 more like it until T+0.599 s",
    "   T+1.099 s  127.0.0.1:8080  new       50 ms  closed without an answer",
    "   T+1.599 s  127.0.0.1:8080  reused    50 ms  closed without an answer",
    "              and 1 more like it until T+2.099 s",
    "failed: 5 lost, and --max-lost allows 0.",
  ]) {
    assert.ok(words.split("\n").includes(line), `${line}\n\nis not in\n\n${words}`);
  }
});

test("no line is wider than 80 columns, whatever there is to say", () => {
  const because = "New connections left a 0.3 s after the trigger, so did kept connections, and all ended well.";
  const words = text(
    reportOf(
      {
        haproxy: [{ backend: "app", server: "BACKEND", counters }],
        balancer: { verdict: "drains", because },
        punctuality: { lagMs: { p50: 1, p99: 120, max: 1400 }, behind: 0.4 },
      },
      { lostBeforeTrigger: 3, unfinished: 1, unsent: 2, lost: 2000 },
    ),
  );
  assert.deepEqual(
    words.split("\n").filter((line) => line.length > 80),
    [],
  );
  assert.match(words, /HAProxy during the run +retries +response errors\napp\/BACKEND +48 +24\n/);
  assert.match(words, /balancer: cannot be told\n {2}The run is void/);
});

test("every scenario is named in its own words", () => {
  const { spec } = reportOf();
  const cases: readonly [Report["spec"]["scenario"], RegExp][] = [
    [{ name: "long", seconds: 20, count: 2 }, /2 requests of 20 s a target/],
    [{ name: "stream", chunks: 60, count: 1 }, /1 stream of 60 chunks, one a second a target/],
    [{ name: "watch", seconds: 60, count: 4, intervalMs: 1000 }, /4 long requests of 60 s and 4 kept connections/],
    [
      { name: "tcp", connections: 10_000, durationMs: 5000, intervalMs: 1000, openRate: 1, echoes: true },
      /10,000 connections held for 5 s[\s\S]*held to the end[\s\S]*\necho {2}/,
    ],
  ];
  for (const [scenario, words] of cases) assert.match(text(reportOf({ spec: { ...spec, scenario } })), words);
});

test("a clean run passes and shows no losses", () => {
  const words = text(reportOf({ haproxy: [] }, { outcomes: outcomesOf({ ok: 100 }), lost: 0, losses: [] }));
  assert.match(words, /passed: nothing was lost$/);
  assert.match(words, /HAProxy: no retry/);
  assert.doesNotMatch(words, /losses|what a retry/);
});

test("a person's action stands where a command would", () => {
  const { spec } = reportOf();
  const words = text(
    reportOf({
      spec: { ...spec, trigger: { command: undefined, atMs: 5000 } },
      trigger: { state: "by hand", atMs: 5000 },
    }),
  );
  assert.match(words, /trigger T at 5\.0 s: a person acts\n/);
});
