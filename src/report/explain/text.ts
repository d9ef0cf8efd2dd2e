/**
 * An explanation for a terminal of 80 columns: bars over time, then every moment in order.
 */
import type { Paint } from "../paint.ts";
import { type Lane, type Mark, said, type Timeline, type Tone } from "../timeline/timeline.ts";
import { wrapText } from "../wrap-text.ts";
import type { Explanation, View } from "./explanation.ts";
import { ticksFor } from "./ticks.ts";

const WIDTH = 80;
const LABEL = 13;
const BAR = WIDTH - LABEL - 1;

const glyphs: Readonly<Record<Tone, string>> = {
  serving: "█",
  draining: "▓",
  closing: "▒",
  waiting: "░",
  down: "·",
  lost: "-",
};

/** Prints a workload, one or both views. */
export function explainText(explanation: Explanation, views: readonly View[], paint: Paint): string {
  const parts = [
    paint("bold", `${explanation.name}, a ${explanation.role}`),
    ...views.map((view) => viewText(view, paint)),
    ...(explanation.notes.length > 0
      ? [["know this", ...explanation.notes.map((note) => wrapText(note, WIDTH, "  ! ", "    "))].join("\n")]
      : []),
    ...(explanation.recommendations.length > 0
      ? [
          [
            "to lose nothing, best first",
            ...explanation.recommendations.map((text, index) => wrapText(text, WIDTH, `  ${index + 1}. `, "     ")),
          ].join("\n"),
        ]
      : []),
  ];
  return `${parts.join("\n\n")}\n`;
}

function viewText({ title, start, timeline, verdict }: View, paint: Paint): string {
  return [
    paint("bold", `${title}: start`),
    ...start.map(({ text, isLossy }, index) => {
      const line = wrapText(text, WIDTH, isLossy ? "  ✗  " : `  ${index + 1}  `, "     ");
      return isLossy ? paint("red", line) : line;
    }),
    "",
    paint("bold", `${title}: termination, seconds after the deletion`),
    paint("dim", axis(timeline)),
    ...timeline.lanes.map((lane) => `${lane.padEnd(LABEL)}${bar(timeline, lane)}`.trimEnd()),
    ...crosses(timeline, paint),
    "",
    ...timeline.marks.map((mark) => markText(mark, paint)),
    wrapText(verdict, WIDTH, "  → ", "    "),
  ].join("\n");
}

function column(timeline: Timeline, at: number): number {
  return Math.round((at / timeline.length) * BAR);
}

function axis(timeline: Timeline): string {
  const line = new Array<string>(WIDTH).fill(" ");
  for (const tick of ticksFor(timeline.length, 8)) {
    const text = String(tick / 1000);
    const from = Math.min(LABEL + column(timeline, tick), WIDTH - text.length);
    for (const [index, letter] of [...text].entries()) line[from + index] = letter;
  }
  return line.join("").trimEnd();
}

function bar(timeline: Timeline, lane: Lane): string {
  const line = new Array<string>(BAR).fill(" ");
  for (const span of timeline.spans.filter((one) => one.lane === lane)) {
    const from = column(timeline, span.from);
    const to = Math.max(column(timeline, span.to), from + 1);
    const label = span.label === "" ? "" : ` ${span.label} `;
    const inner = to - from - 2;
    for (let at = from; at < to && at < BAR; at++) line[at] = glyphs[span.tone];
    const shown = label.length <= inner ? label : inner >= 5 ? ` ${span.label.slice(0, inner - 3)}… ` : "";
    const offset = from + 1 + Math.floor((inner - shown.length) / 2);
    for (const [index, letter] of [...shown].entries()) line[offset + index] = letter;
  }
  return line.join("");
}

/** The line under the bars that shows where requests die, and what has no end. */
function crosses(timeline: Timeline, paint: Paint): readonly string[] {
  const marks = timeline.marks.filter(({ kind }) => kind !== "event");
  if (marks.length === 0) return [];
  const line = new Array<string>(WIDTH).fill(" ");
  for (const { at, kind } of marks) {
    const place = Math.min(LABEL + column(timeline, at), WIDTH - 1);
    if (line[place] !== "✗") line[place] = kind === "death" ? "✗" : "∞";
  }
  const text = line.join("").trimEnd();
  return [marks.some(({ kind }) => kind === "death") ? paint("red", text) : paint("yellow", text)];
}

function markText({ at, lane, text, kind }: Mark, paint: Paint): string {
  const sign = kind === "death" ? "✗" : kind === "endless" ? "∞" : " ";
  const head = `${sign} ${said(at).padStart(5)}  ${lane.padEnd(12)} `;
  const line = wrapText(text, WIDTH, head, " ".repeat(head.length));
  return kind === "death" ? paint("red", line) : kind === "endless" ? paint("yellow", line) : line;
}
