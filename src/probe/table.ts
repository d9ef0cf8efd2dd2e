/**
 * The report as text for a terminal of 80 columns; it reads the same in a pipe.
 */
import type { Paint } from "../report/paint.ts";
import { wrapText } from "../report/wrap-text.ts";
import { type Counter, counterLabels, counters } from "./haproxy-stats.ts";
import { kindLabels, kinds } from "./outcome.ts";
import type { Loss } from "./recorder.ts";
import type { Report } from "./run.ts";
import { balancerOf, type Verdict } from "./verdict.ts";
import { count, instant, milliseconds, protocolOf, request } from "./words.ts";

/** Runs of like losses that the table lists; the JSON has every loss. */
const LISTED = 10;

/** Writes the report. */
export function table(report: Report, verdict: Verdict, paint: Paint): string {
  return [
    heading(report, paint),
    outcomes(report, paint),
    latency(report),
    hidden(report),
    byTarget(report),
    losses(report),
    haproxy(report),
    conclusion(report, verdict, paint),
  ]
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n");
}

function heading({ spec, trigger, durationMs }: Report, paint: Paint): string[] {
  const { scenario, targets } = spec;
  const lines = [
    paint("bold", `probe ${scenario.name}, ${protocolOf(spec)}, ${targets.map(({ label }) => label).join(", ")}`),
    ...wrap(`${request(spec)}; took ${(durationMs / 1000).toFixed(1)} s`),
  ];
  if (spec.trigger === undefined || trigger === undefined || trigger.state === "not run") return lines;
  const ended = trigger.state === "ended" ? `, ended ${trigger.code} after ${milliseconds(trigger.tookMs)}` : "";
  const what = spec.trigger.command ?? "a person acts";
  return [...lines, ...wrap(`trigger T at ${(trigger.atMs / 1000).toFixed(1)} s: ${what}${ended}`)];
}

function outcomes({ totals, spec }: Report, paint: Paint): string[] {
  const total = totals.outcomes.ok + totals.lost;
  const what = spec.scenario.name === "tcp" ? "connections" : "requests";
  const rows = kinds
    .filter((kind) => kind === "ok" || totals.outcomes[kind] > 0)
    .map((kind) => {
      const reused = totals.lostOnReused[kind] ?? 0;
      const notes = [detailsOf(totals.details[kind]), reused > 0 ? `${count(reused)} on reused connections` : ""];
      const label = kind === "ok" && spec.scenario.name === "tcp" ? "held to the end" : kindLabels[kind];
      const line = `${label.padEnd(26)}${count(totals.outcomes[kind]).padStart(10)}   ${notes.filter(Boolean).join("; ")}`;
      return paint(kind === "ok" ? "green" : "red", line.trimEnd());
    });
  const share = total === 0 ? "" : `   of ${count(total)} (${((totals.lost / total) * 100).toFixed(2)} %)`;
  return [
    paint("dim", `${"outcome".padEnd(26)}${what.padStart(10)}`),
    ...rows,
    paint("bold", `${"lost".padEnd(26)}${count(totals.lost).padStart(10)}${share}`),
    ...(totals.unfinished > 0 ? [`${"unfinished".padEnd(26)}${count(totals.unfinished).padStart(10)}`] : []),
    ...(totals.unsent > 0 ? [`${"not sent".padEnd(26)}${count(totals.unsent).padStart(10)}`] : []),
  ];
}

function detailsOf(details: Readonly<Record<string, number>> | undefined): string {
  return Object.entries(details ?? {})
    .sort(([, a], [, b]) => b - a)
    .map(([name, times]) => `${name} × ${count(times)}`)
    .join(", ");
}

function latency({ totals, punctuality, spec }: Report): string[] {
  const { p50, p90, p99, max } = totals.latencyMs;
  const cells = (entries: [string, number][]) =>
    entries
      .map(([name, ms]) => `${name} ${milliseconds(ms)}`.padEnd(15))
      .join("")
      .trimEnd();
  const isScheduled = spec.scenario.name !== "long" && spec.scenario.name !== "stream";
  const behind = `behind ${(punctuality.behind * 100).toFixed(1)} %`;
  const { lagMs } = punctuality;
  const figures: [string, number][] = [
    ["p50", p50],
    ["p90", p90],
    ["p99", p99],
    ["max", max],
  ];
  const name = spec.scenario.name === "tcp" ? "echo" : "latency";
  return [
    `${name.padEnd(16)}${max === 0 ? "nothing to measure" : cells(figures)}`,
    ...(isScheduled
      ? [
          `${"generator lag".padEnd(16)}${cells([
            ["p50", lagMs.p50],
            ["p99", lagMs.p99],
            ["max", lagMs.max],
          ])}  ${behind}`,
        ]
      : []),
  ];
}

/** Who would not have seen the losses. */
function hidden({ totals }: Report): string[] {
  const { any, idempotent, status, none } = totals.hiddenBy;
  if (totals.lost === 0) return [];
  return [
    "what a retry would have hidden",
    ...row(any, "nothing was processed: any request may be sent again"),
    ...row(idempotent, "no byte of an answer came: hidden for GET, PUT, DELETE, not POST"),
    ...row(status, "502, 503, 504: hidden by a proxy that retries on status"),
    ...row(none, "nothing hides these"),
  ];
}

function row(times: number, text: string): string[] {
  return times === 0 ? [] : [`${count(times).padStart(8)}  ${text}`];
}

function byTarget({ totals, spec }: Report): string[] {
  if (spec.targets.length < 2 || totals.lost === 0) return [];
  return [
    "lost by target",
    ...spec.targets.flatMap(({ label }) => `${count(totals.lostByTarget[label] ?? 0).padStart(8)}  ${label}`),
  ];
}

function losses({ totals, trigger }: Report): string[] {
  if (totals.lost === 0) return [];
  const triggerMs = trigger && "atMs" in trigger ? trigger.atMs : undefined;
  const runs = runsOf(totals.losses);
  const listed = runs.slice(0, LISTED);
  const shown = listed.reduce((sum, { times }) => sum + times, 0);
  const width = Math.max(...listed.map(({ first }) => first.target.length));
  return [
    totals.lost > shown ? `losses (the first ${count(shown)} of ${count(totals.lost)}; -o json has more)` : "losses",
    ...listed.flatMap(({ first, lastMs, times }) => {
      const when = instant(first.atMs, triggerMs).padStart(12);
      const after = milliseconds(first.atMs - first.startedMs).padStart(8);
      const line = `${when}  ${first.target.padEnd(width)}  ${first.reused ? "reused" : "new   "} ${after}  ${first.text}`;
      const more = `${" ".repeat(14)}and ${count(times - 1)} more like it until ${instant(lastMs, triggerMs)}`;
      return times === 1 ? [line] : [line, more];
    }),
  ];
}

/** Losses that follow each other and are alike, as one. */
function runsOf(all: readonly Loss[]): readonly { first: Loss; lastMs: number; times: number }[] {
  const runs: { first: Loss; lastMs: number; times: number }[] = [];
  for (const loss of all) {
    const run = runs.at(-1);
    const isAlike =
      run?.first.text === loss.text && run.first.target === loss.target && run.first.reused === loss.reused;
    if (run !== undefined && isAlike) {
      run.times += 1;
      run.lastMs = loss.atMs;
    } else {
      runs.push({ first: loss, lastMs: loss.atMs, times: 1 });
    }
  }
  return runs;
}

function haproxy({ haproxy: rows }: Report): string[] {
  if (rows === undefined) return [];
  if (rows.length === 0) return ["HAProxy: no retry, redispatch, error or abort was counted during the run."];
  const seen = counters.filter((name) => rows.some((row) => row.counters[name] > 0));
  const cell = (name: Counter, text: string) => text.padStart(counterLabels[name].length + 2);
  return [
    `${"HAProxy during the run".padEnd(26)}${seen.map((name) => cell(name, counterLabels[name])).join("")}`,
    ...rows.map(
      ({ backend, server, counters: added }) =>
        `${`${backend}/${server}`.padEnd(26)}${seen.map((name) => cell(name, count(added[name]))).join("")}`,
    ),
  ];
}

function conclusion(report: Report, verdict: Verdict, paint: Paint): string[] {
  const { totals } = report;
  const balancer = balancerOf(report, verdict);
  const lines: string[] = [];
  if (balancer !== undefined) {
    lines.push(paint("bold", `balancer: ${balancerWords[balancer.verdict]}`), ...wrap(balancer.because, "  "));
  }
  for (const note of verdict.notes) lines.push(...wrap(`note: ${note}`).map((line) => paint("yellow", line)));
  for (const reason of verdict.isVoid) lines.push(...wrap(`void: ${reason}`).map((line) => paint("red", line)));
  for (const reason of verdict.broken) lines.push(...wrap(`failed: ${reason}`).map((line) => paint("red", line)));
  if (verdict.isVoid.length + verdict.broken.length === 0) {
    lines.push(
      paint("green", totals.lost === 0 ? "passed: nothing was lost" : `passed: ${totals.lost} lost, as allowed`),
    );
  }
  return lines;
}

const balancerWords = {
  flushes: "flushes sessions when a backend goes DOWN",
  drains: "drains: sessions end by themselves, new work goes elsewhere",
  keeps: "keeps sessions on a backend that is DOWN",
  unknown: "cannot be told",
};

function wrap(text: string, indent = ""): string[] {
  return wrapText(text, 80, indent, `  ${indent}`).split("\n");
}
