import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomesOf, reportOf } from "../../test/unit/probe-report.ts";
import type { Report } from "./run.ts";
import { balancerOf, type Thresholds, verdictOf } from "./verdict.ts";

const noLimits: Thresholds = { maxLost: undefined, max5xx: undefined, maxConnectionErrors: undefined };

test("thresholds are broken by more than they allow, and each by its own count", () => {
  const cases: readonly [Partial<Thresholds>, readonly string[]][] = [
    [{}, ["5 lost, and --max-lost allows 0."]],
    [{ maxLost: 5 }, []],
    [{ maxLost: 4 }, ["5 lost, and --max-lost allows 4."]],
    [
      { max5xx: 1 },
      [
        "2 5xx, and --max-5xx allows 1.",
        "3 lost that no given --max covers (closed without an answer × 3), and those stay at 0.",
      ],
    ],
    [{ max5xx: 2 }, ["3 lost that no given --max covers (closed without an answer × 3), and those stay at 0."]],
    [{ maxConnectionErrors: 3 }, ["2 lost that no given --max covers (5xx × 2), and those stay at 0."]],
    [{ maxConnectionErrors: 3, max5xx: 2 }, []],
    [{ maxLost: 5, max5xx: 2 }, []],
    [{ maxConnectionErrors: 2, max5xx: 2 }, ["3 connection errors, and --max-connection-errors allows 2."]],
  ];
  for (const [limits, broken] of cases) {
    assert.deepEqual(verdictOf(reportOf(), { ...noLimits, ...limits }).broken, broken);
  }
});

test("a run is void when it measured something else", () => {
  const cases: readonly [string, Report, RegExp][] = [
    [
      "losses before the trigger",
      reportOf({}, { lostBeforeTrigger: 3 }),
      /^3 of 50 requests were lost before the trigger \(first: 502 from 127\.0\.0\.1:8080\)/,
    ],
    ["a trigger that failed", reportOf({ trigger: { state: "ended", atMs: 1, tookMs: 1, code: 1 } }), /ended with 1/],
    ["a trigger that did not end", reportOf({ trigger: { state: "cut short", atMs: 1 } }), /run it longer/],
    ["a trigger that did not begin", reportOf({ trigger: { state: "not run" } }), /over before --trigger-at/],
    ["no request before the trigger", reportOf({}, { endedBeforeTrigger: 0 }), /^No request had ended before/],
    ["requests that were not sent", reportOf({}, { unsent: 7 }), /^7 requests were due and not sent/],
    ["an interruption", reportOf({ isInterrupted: true }, { lostBeforeTrigger: 3 }), /^It was interrupted/],
    ["no request at all", reportOf({ trigger: undefined }, { outcomes: outcomesOf({}), lost: 0 }), /^No request ended/],
  ];
  for (const [name, report, reason] of cases) {
    const { isVoid } = verdictOf(report, noLimits);
    assert.equal(isVoid.length, 1, `${name}: ${isVoid}`);
    assert.match(isVoid[0] ?? "", reason);
  }
});

test("losses without a trigger do not make a run void", () => {
  assert.deepEqual(verdictOf(reportOf({ trigger: undefined }, { lostBeforeTrigger: 5 }), noLimits).isVoid, []);
});

test("a generator that was late and losses that were not kept are noted", () => {
  const late = { lagMs: { p50: 1, p99: 90, max: 140 }, behind: 0.2 };
  const { notes } = verdictOf(reportOf({ punctuality: late }, { lost: 2000 }), noLimits);
  assert.match(notes[0] ?? "", /up to 140 ms behind its own schedule/);
  assert.match(notes[1] ?? "", /Only the first 5 losses/);
});

test("neither limit of a sort covers another status", () => {
  const report = reportOf({}, { outcomes: outcomesOf({ ok: 98, status: 2 }), lost: 2 });
  const { broken } = verdictOf(report, { ...noLimits, max5xx: 9, maxConnectionErrors: 9 });
  assert.deepEqual(broken, ["2 lost that no given --max covers (other status × 2), and those stay at 0."]);
});

test("counters of HAProxy that could not be read at the end are noted, and void nothing", () => {
  const verdict = verdictOf(reportOf({ haproxyError: "--haproxy-stats x: gone." }), { ...noLimits, maxLost: 5 });
  assert.deepEqual(verdict, {
    isVoid: [],
    broken: [],
    notes: ["HAProxy's counters are missing. --haproxy-stats x: gone."],
  });
});

test("a void run says nothing about the balancer", () => {
  const balancer = { verdict: "flushes", because: "Two were cut." } as const;
  for (const [lostBeforeTrigger, verdict] of [
    [0, "flushes"],
    [1, "unknown"],
  ] as const) {
    const report = reportOf({ balancer }, { lostBeforeTrigger });
    assert.equal(balancerOf(report, verdictOf(report, noLimits))?.verdict, verdict);
  }
});
