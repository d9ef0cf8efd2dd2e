/**
 * The report as text for a terminal of 80 columns; it reads the same in a pipe.
 */
import { type Counter, counterLabels, counters } from "./haproxy-stats.ts";
import { kindLabels, kinds } from "./outcome.ts";
import type { Loss } from "./recorder.ts";
import type { Report } from "./run.ts";
import { balancerOf, type Verdict } from "./verdict.ts";
import { count, instant, milliseconds, protocolOf, request } from "./words.ts";

/** Runs of like losses that the table lists; the JSON has every loss. */
const LISTED = 10;

/** Paints a text where colour is wanted, and returns it unchanged elsewhere. */
export type Paint = (style: "red" | "green" | "yellow" | "bold" | "dim", text: string) => string;

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

function heading({ plan, trigger, durationMs }: Report, paint: Paint): string[] {
  const { scenario, targets } = plan;
  const lines = [
    paint("bold", `probe ${scenario.name}, ${protocolOf(plan)}, ${targets.map(({ label }) => label).join(", ")}`),
    ...wrap(`${request(plan)}; took ${(durationMs / 1000).toFixed(1)} s`),
  ];
  if (plan.trigger === undefined || trigger === undefined || trigger.state === "not run") return lines;
  const ended = trigger.state === "ended" ? `, ended ${trigger.code} after ${milliseconds(trigger.tookMs)}` : "";
  const what = plan.trigger.command ?? "a person acts";
  return [...lines, ...wrap(`trigger T at ${(trigger.atMs / 1000).toFixed(1)} s: ${what}${ended}`)];
}

function outcomes({ books, plan }: Report, paint: Paint): string[] {
  const total = books.outcomes.ok + books.lost;
  const what = plan.scenario.name === "tcp" ? "connections" : "requests";
  const rows = kinds
    .filter((kind) => kind === "ok" || books.outcomes[kind] > 0)
    .map((kind) => {
      const reused = books.lostOnReused[kind] ?? 0;
      const notes = [detailsOf(books.details[kind]), reused > 0 ? `${count(reused)} on reused connections` : ""];
      const label = kind === "ok" && plan.scenario.name === "tcp" ? "held to the end" : kindLabels[kind];
      const line = `${label.padEnd(26)}${count(books.outcomes[kind]).padStart(10)}   ${notes.filter(Boolean).join("; ")}`;
      return paint(kind === "ok" ? "green" : "red", line.trimEnd());
    });
  const share = total === 0 ? "" : `   of ${count(total)} (${((books.lost / total) * 100).toFixed(2)} %)`;
  return [
    paint("dim", `${"outcome".padEnd(26)}${what.padStart(10)}`),
    ...rows,
    paint("bold", `${"lost".padEnd(26)}${count(books.lost).padStart(10)}${share}`),
    ...(books.unfinished > 0 ? [`${"unfinished".padEnd(26)}${count(books.unfinished).padStart(10)}`] : []),
    ...(books.unsent > 0 ? [`${"not sent".padEnd(26)}${count(books.unsent).padStart(10)}`] : []),
  ];
}

function detailsOf(details: Readonly<Record<string, number>> | undefined): string {
  return Object.entries(details ?? {})
    .sort(([, a], [, b]) => b - a)
    .map(([name, times]) => `${name} × ${count(times)}`)
    .join(", ");
}

function latency({ books, punctuality, plan }: Report): string[] {
  const { p50, p90, p99, max } = books.latencyMs;
  const cells = (entries: [string, number][]) =>
    entries
      .map(([name, ms]) => `${name} ${milliseconds(ms)}`.padEnd(15))
      .join("")
      .trimEnd();
  const isScheduled = plan.scenario.name !== "long" && plan.scenario.name !== "stream";
  const behind = `behind ${(punctuality.behind * 100).toFixed(1)} %`;
  const { lagMs } = punctuality;
  const figures: [string, number][] = [
    ["p50", p50],
    ["p90", p90],
    ["p99", p99],
    ["max", max],
  ];
  const name = plan.scenario.name === "tcp" ? "echo" : "latency";
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
function hidden({ books }: Report): string[] {
  const { any, idempotent, status, none } = books.hiddenBy;
  if (books.lost === 0) return [];
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

function byTarget({ books, plan }: Report): string[] {
  if (plan.targets.length < 2 || books.lost === 0) return [];
  return [
    "lost by target",
    ...plan.targets.flatMap(({ label }) => `${count(books.lostByTarget[label] ?? 0).padStart(8)}  ${label}`),
  ];
}

function losses({ books, trigger }: Report): string[] {
  if (books.lost === 0) return [];
  const triggerMs = trigger && "atMs" in trigger ? trigger.atMs : undefined;
  const runs = runsOf(books.losses);
  const listed = runs.slice(0, LISTED);
  const shown = listed.reduce((sum, { times }) => sum + times, 0);
  const width = Math.max(...listed.map(({ first }) => first.target.length));
  return [
    books.lost > shown ? `losses (the first ${count(shown)} of ${count(books.lost)}; -o json has more)` : "losses",
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
  const { books } = report;
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
      paint("green", books.lost === 0 ? "passed: nothing was lost" : `passed: ${books.lost} lost, as allowed`),
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

/** Breaks a text at spaces so that it fits into 80 columns; later lines are indented. */
function wrap(text: string, indent = ""): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ")) {
    if (line.trim() !== "" && line.length + 1 + word.length > 80) {
      lines.push(line);
      line = `  ${indent}`;
    }
    line += line.trim() === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
