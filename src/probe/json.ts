/**
 * The report as JSON. Its fields are an interface: they are listed in docs/probe.md, and none changes its meaning.
 */
import type { Report } from "./run.ts";
import { balancerOf, connectionErrorsOf, type Verdict } from "./verdict.ts";
import { protocolOf } from "./words.ts";

/** Turns a report into a value for JSON.stringify. Durations are milliseconds, instants milliseconds since the begin. */
export function toJson(report: Report, verdict: Verdict): Record<string, unknown> {
  const { spec, totals, punctuality, trigger, haproxy } = report;
  const { losses, timeline, outcomes, details, ...counts } = totals;
  return {
    scenario: spec.scenario,
    protocol: protocolOf(spec),
    targets: spec.targets.map(({ label }) => label),
    startedAt: report.startedAt.toISOString(),
    durationMs: Math.round(report.durationMs),
    trigger: trigger && { command: spec.trigger?.command ?? null, ...trigger },
    outcomes,
    details,
    ...counts,
    connectionErrors: connectionErrorsOf(report),
    generator: punctuality,
    haproxy,
    balancer: balancerOf(report, verdict),
    isVoid: verdict.isVoid,
    broken: verdict.broken,
    notes: verdict.notes,
    passed: verdict.isVoid.length + verdict.broken.length === 0,
    losses,
    timeline,
  };
}
