/**
 * A finished run for tests of what is made from one: 100 requests, of which five were lost after a trigger at 5 s.
 */
import { type Kind, kinds } from "../../src/probe/outcome.ts";
import { Recorder, type Totals } from "../../src/probe/recorder.ts";
import type { Report } from "../../src/probe/run.ts";
import { loadSpec } from "../integration/run-specs.ts";

/** The run, with changes. */
export function reportOf(changes: Partial<Report> = {}, totals: Partial<Totals> = {}): Report {
  const { spec } = loadSpec([8080, 8081], { rate: 10, durationMs: 10_000 });
  const outcomes = outcomesOf({ ok: 95, "5xx": 2, closed: 3 });
  return {
    spec: { ...spec, trigger: { command: "kubectl rollout restart deploy/gw && echo <done>", atMs: 5000 } },
    startedAt: new Date("2026-11-30T00:00:00Z"),
    durationMs: 10_020,
    punctuality: { lagMs: { p50: 0.5, p99: 1.2, max: 3 }, behind: 0 },
    trigger: { state: "ended", atMs: 5001, tookMs: 1234, code: 0 },
    haproxy: undefined,
    haproxyError: undefined,
    balancer: undefined,
    isInterrupted: false,
    totals: {
      ...new Recorder().totals(),
      started: 100,
      outcomes,
      lost: 5,
      details: { "5xx": { 502: 1, 503: 1 } },
      lostByTarget: { "127.0.0.1:8080": 5 },
      lostOnReused: { closed: 2 },
      hiddenBy: { any: 0, idempotent: 3, status: 2, none: 0 },
      endedBeforeTrigger: 50,
      latencyMs: { p50: 1.5, p90: 2, p99: 40, max: 1234 },
      losses: Array.from({ length: 5 }, (_, index) => ({
        atMs: 5100 + index * 500,
        startedMs: 5050 + index * 500,
        target: "127.0.0.1:8080",
        kind: index < 2 ? "5xx" : "closed",
        detail: index < 2 ? "502" : "",
        phase: "wait",
        reused: index > 2,
        retry: index < 2 ? "status" : "idempotent",
        text: index < 2 ? "502" : "closed without an answer",
      })),
      timeline: {
        sliceMs: 1000,
        slices: Array.from({ length: 10 }, (_, second) => ({
          slowestMs: second === 6 ? 1234 : 3,
          counts: second === 5 ? { ok: 7, closed: 3 } : second === 6 ? { ok: 8, "5xx": 2 } : { ok: 10 },
        })),
      },
      ...totals,
    },
    ...changes,
  };
}

/** Counts of every class, 0 where nothing is given. */
export function outcomesOf(some: Partial<Record<Kind, number>>): Record<Kind, number> {
  return { ...(Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>), ...some };
}
