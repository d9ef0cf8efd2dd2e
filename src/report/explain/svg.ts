/**
 * An explanation as a picture: one panel a view, side by side on one scale, readable in light and dark and when printed.
 *
 * Classes have their colours twice, for a light and a dark ground; renderers that know no media queries show the light
 * one. No font is loaded: the system's own is used.
 */

import type { Mark, Timeline } from "../timeline/timeline.ts";
import { wrapText } from "../wrap-text.ts";
import type { Explanation, View } from "./explanation.ts";
import { STYLE } from "./svg-style.ts";
import { ticksFor } from "./ticks.ts";

const MARGIN = 28;
const GAP = 40;
const LABEL = 88;
const LANE = 34;
const BAR = 24;
const LINE = 19;
/** Radius of a sign. */
const SIGN = 9;
/** Average width of a letter of the labels, and of the text below, px. */
const LETTER = 6.6;
const TEXT_LETTER = 6.8;
/** Bold letters are wider. */
const BOLD = 0.88;

/** Draws a workload, one or both views. */
export function explainSvg(explanation: Explanation, views: readonly View[]): string {
  const panelWidth = views.length > 1 ? 620 : 860;
  const width = MARGIN * 2 + panelWidth * views.length + GAP * (views.length - 1);
  const longest = Math.max(...views.map(({ timeline }) => timeline.length));
  const top = 76;
  // Panels stand side by side, so their bars begin at one height.
  const startLines = Math.max(...views.map(({ start }) => startLinesOf(start, panelWidth).length));
  const panels = views.map((view, index) =>
    panel(
      view,
      MARGIN + index * (panelWidth + GAP),
      top,
      panelWidth,
      views.length > 1 ? longest : view.timeline.length,
      startLines,
    ),
  );
  const bottom = top + Math.max(...panels.map(({ height }) => height));
  const notes = linesOf(explanation.notes, width - MARGIN * 2);
  const height = bottom + notes.length * LINE + MARGIN;
  const title = `${explanation.name}, a ${explanation.role}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(`${title}: start and termination`)}</title>`,
    `<desc>${escapeXml(views.map(({ title: name, verdict }) => `${name}: ${verdict}.`).join(" "))}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    text(MARGIN, 40, "title", title),
    ...panels.map(({ svg }) => svg),
    ...notes.map((line, index) => text(MARGIN, bottom + 8 + index * LINE, "quiet", line)),
    "</svg>",
    "",
  ].join("\n");
}

/** The steps of the start as lines, each step's first with its number. */
function startLinesOf(start: View["start"], width: number) {
  return start.flatMap((step, index) =>
    wrapped(step.text, width - 24).map((line, row) => ({
      line,
      kind: step.isLossy ? "death" : "text",
      sign: row > 0 ? "" : step.isLossy ? "✗" : String(index + 1),
    })),
  );
}

interface Panel {
  readonly svg: string;
  readonly height: number;
}

function panel(view: View, x: number, y: number, width: number, scale: number, startLines: number): Panel {
  const { timeline, start, title, verdict } = view;
  const parts: string[] = [];
  let at = y;
  const write = (line: string, kind: string, indent = 0) => {
    parts.push(text(x + indent, at, kind, line));
    at += LINE;
  };
  write(title, "heading");
  at += 4;
  for (const { line, kind, sign } of startLinesOf(start, width)) {
    if (sign !== "") parts.push(text(x, at, kind === "death" ? kind : "number", sign));
    write(line, kind, 20);
  }
  at = y + LINE * (startLines + 1) + 34;
  const gantt = bars(timeline, x, at, width, scale);
  parts.push(gantt.svg);
  at += gantt.height + 22;
  for (const mark of timeline.marks) {
    const kind = mark.kind === "event" ? "text" : mark.kind;
    const lines = wrapped(`${mark.lane}: ${mark.text}`, width - 62);
    parts.push(`<text x="${x + 34}" y="${at}" class="time ${kind}">${mark.at / 1000} s</text>`);
    if (mark.kind !== "event") parts.push(text(x + 42, at, kind, mark.kind === "death" ? "✗" : "∞"));
    for (const line of lines) write(line, kind, 60);
  }
  at += 6;
  const hasDeath = timeline.marks.some(({ kind }) => kind === "death");
  for (const line of wrapped(verdict, width * BOLD)) write(line, hasDeath ? "verdict death" : "verdict");
  return { svg: parts.join("\n"), height: at - y + 10 };
}

function bars(timeline: Timeline, x: number, y: number, width: number, scale: number): Panel {
  const from = x + LABEL;
  const room = width - LABEL - 12;
  const place = (moment: number) => from + (moment / scale) * room;
  const height = timeline.lanes.length * LANE;
  const grid = ticksFor(scale, room > 600 ? 12 : 8).flatMap((tick) => [
    `<line class="grid" x1="${round(place(tick))}" x2="${round(place(tick))}" y1="${y}" y2="${y + height}"/>`,
    `<text class="tick" x="${round(place(tick))}" y="${y - 7}">${tick / 1000}${tick === 0 ? " s" : ""}</text>`,
  ]);
  const signs = placed(timeline, place);
  const lanes = timeline.lanes.flatMap((lane, row) => {
    const top = y + row * LANE + (LANE - BAR) / 2;
    return [
      text(x, top + 16, "lane", lane),
      ...timeline.spans
        .filter((span) => span.lane === lane)
        .map((span) => {
          const [left, right] = [place(span.from), place(span.to)];
          const free = freeOf(left, right, lane, signs);
          const label = fitted(span.label, free.right - free.left - 8);
          return [
            `<g><title>${escapeXml(`${lane}, ${span.from / 1000} s to ${span.to / 1000} s: ${span.label}`)}</title>`,
            `<rect class="${span.tone}" x="${round(left)}" y="${top}" width="${round(Math.max(right - left, 2))}" height="${BAR}" rx="4"/>`,
            label === ""
              ? ""
              : `<text class="label" x="${round((free.left + free.right) / 2)}" y="${top + 16}">${escapeXml(label)}</text>`,
            "</g>",
          ].join("");
        }),
    ];
  });
  const kill = place(timeline.gracePeriod);
  return {
    svg: [
      ...grid,
      ...lanes,
      `<line class="kill" x1="${round(kill)}" x2="${round(kill)}" y1="${y}" y2="${y + height + 4}"/>`,
      `<text class="killed" x="${round(kill)}" y="${y + height + 17}">SIGKILL</text>`,
      ...signs.map((sign) => cross(sign, timeline, y)),
    ].join("\n"),
    height: height + 18,
  };
}

/** A moment at which requests die, or something has no end: where it is, and where its sign has room. */
interface PlacedMark extends Mark {
  readonly x: number;
  readonly signX: number;
}

/** Signs in one lane stand beside each other, however close the moments are. */
function placed(timeline: Timeline, place: (moment: number) => number): readonly PlacedMark[] {
  const last = new Map<Mark["lane"], number>();
  return timeline.marks
    .filter(({ kind }) => kind !== "event")
    .toSorted((a, b) => a.at - b.at)
    .map((mark) => {
      const x = place(mark.at);
      const signX = Math.max(x, (last.get(mark.lane) ?? Number.NEGATIVE_INFINITY) + SIGN * 2 + 1);
      last.set(mark.lane, signX);
      return { ...mark, x, signX };
    });
}

/** The part of a bar that no sign and no line of death covers. */
function freeOf(left: number, right: number, lane: Mark["lane"], signs: readonly PlacedMark[]) {
  const free = { left, right };
  const cover = (from: number, to: number) => {
    if (to <= left || from >= right) return;
    if (from + to < left + right) free.left = Math.max(free.left, to);
    else free.right = Math.min(free.right, from);
  };
  for (const { x, signX, kind, lane: own } of signs) {
    if (kind === "death") cover(x - 1, x + 1);
    if (own === lane) cover(signX - SIGN, signX + SIGN);
  }
  return free;
}

/** A line through the lanes at the moment, and a sign at its own lane. */
function cross({ lane, kind, text: reason, x, signX }: PlacedMark, timeline: Timeline, y: number): string {
  const row = Math.max(timeline.lanes.indexOf(lane), 0);
  const height = timeline.lanes.length * LANE;
  const sign = kind === "death" ? "✗" : "∞";
  const line =
    kind === "death" ? `<line class="deathline" x1="${round(x)}" x2="${round(x)}" y1="${y}" y2="${y + height}"/>` : "";
  const middle = y + row * LANE + LANE / 2;
  return `<g><title>${escapeXml(reason)}</title>${line}<circle class="${kind}ground" cx="${round(signX)}" cy="${middle}" r="${SIGN}"/><text class="sign" x="${round(signX)}" y="${middle + 5}">${sign}</text></g>`;
}

/** A label as far as it fits; nothing where too little would be left. */
function fitted(label: string, room: number): string {
  if (label.length * LETTER <= room) return label;
  const letters = Math.floor(room / LETTER) - 1;
  return letters < 6 ? "" : `${label.slice(0, letters).trimEnd()}…`;
}

function wrapped(sentence: string, room: number): readonly string[] {
  return wrapText(sentence, Math.floor(room / TEXT_LETTER)).split("\n");
}

function linesOf(sentences: readonly string[], room: number): readonly string[] {
  return sentences.flatMap((sentence) => wrapped(sentence, room));
}

function text(x: number, y: number, kind: string, content: string): string {
  return `<text x="${x}" y="${y}" class="${kind}">${escapeXml(content)}</text>`;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}

function escapeXml(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
