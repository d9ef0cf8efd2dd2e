/**
 * The report as an SVG: complete answers, losses by class, and the slowest answer over time, with the trigger marked.
 *
 * Losses have a scale of their own: one lost request among a thousand good ones must be seen. Colours are Okabe and
 * Ito's, which people with any colour blindness tell apart; where they run out, hatching does.
 */
import { type Kind, kindLabels, kinds } from "./outcome.ts";
import type { Report } from "./run.ts";
import { niceScale } from "./scale.ts";
import { count, protocolOf } from "./words.ts";

const WIDTH = 960;
const LEFT = 72;
const RIGHT = 24;
const TOP = 108;
const PANEL = 130;
const GAP = 46;

interface Style {
  readonly colour: string;
  readonly isHatched?: boolean;
}

const styles: Readonly<Record<Kind, Style>> = {
  ok: { colour: "#0072B2" },
  "5xx": { colour: "#D55E00" },
  status: { colour: "#F0E442" },
  refused: { colour: "#CC79A7" },
  reset: { colour: "#000000" },
  closed: { colour: "#E69F00" },
  truncated: { colour: "#009E73" },
  "stream-reset": { colour: "#000000", isHatched: true },
  goaway: { colour: "#CC79A7", isHatched: true },
  timeout: { colour: "#56B4E9" },
  error: { colour: "#D55E00", isHatched: true },
};

/** One bar: parts from the bottom up. */
type Bar = readonly { readonly kind: Kind; readonly value: number }[];

/** Draws the plot. */
export function plot(report: Report): string {
  const { timeline, outcomes } = report.totals;
  const losses = kinds.filter((kind) => kind !== "ok");
  const seen = kinds.filter((kind) => kind === "ok" || outcomes[kind] > 0);
  const bars = (wanted: readonly Kind[]): Bar[] =>
    timeline.slices.map(({ counts }) => wanted.map((kind) => ({ kind, value: counts[kind] ?? 0 })));
  const slowest = timeline.slices.map(({ slowestMs }): Bar => [{ kind: "ok", value: slowestMs / 1000 }]);
  const what = report.spec.scenario.name === "tcp" ? "connections" : "answers";
  const panels: readonly [name: string, bars: readonly Bar[]][] = [
    [`complete ${what} per second`, bars(["ok"])],
    ["lost per second", bars(losses)],
    ["slowest complete answer, seconds", slowest],
  ];
  const bottom = panelTop(2) + PANEL;
  const height = bottom + 56;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="13" fill="#222">`,
    `<title>${escapeXml(title(report))}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    hatches(),
    `<text x="${LEFT}" y="28" font-size="17" font-weight="bold">${escapeXml(title(report))}</text>`,
    legend(seen, report),
    ...panels.map(([, drawn], index) => panel(index, drawn, report)),
    timeAxis(report, bottom),
    triggerMark(report, bottom),
    ...panels.map(([name], index) => panelTitle(index, name)),
    "</svg>",
    "",
  ].join("\n");
}

function title({ spec, totals }: Report): string {
  const labels = spec.targets.map(({ label }) => label).join(", ");
  const where = labels.length > 44 ? `${labels.slice(0, 43)}…` : labels;
  return `probe ${spec.scenario.name}, ${protocolOf(spec)}, ${where}: ${count(totals.lost)} of ${count(totals.outcomes.ok + totals.lost)} lost`;
}

function panelTop(index: number): number {
  return TOP + index * (PANEL + GAP);
}

/** The run's length on the time axis, in seconds: whole slices. */
function span({ totals }: Report): number {
  return (totals.timeline.slices.length * totals.timeline.sliceMs) / 1000;
}

function x(seconds: number, report: Report): number {
  return LEFT + (seconds / span(report)) * (WIDTH - LEFT - RIGHT);
}

function panel(index: number, bars: readonly Bar[], report: Report): string {
  const top = panelTop(index);
  const highest = Math.max(0, ...bars.map((bar) => bar.reduce((sum, { value }) => sum + value, 0)));
  const scale = niceScale(highest, index < 2);
  const y = (value: number) => top + PANEL - (value / scale.top) * PANEL;
  const grid = scale.ticks.map(
    (tick) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${fixed(y(tick))}" y2="${fixed(y(tick))}" stroke="${tick === 0 ? "#444" : "#ddd"}"/>` +
      `<text x="${LEFT - 8}" y="${fixed(y(tick) + 4)}" text-anchor="end">${count(tick)}</text>`,
  );
  const seconds = report.totals.timeline.sliceMs / 1000;
  const gap = bars.length > 200 ? 0 : 1;
  const drawn = bars.flatMap((bar, slice) => {
    const left = x(slice * seconds, report);
    const width = x((slice + 1) * seconds, report) - left - gap;
    let below = 0;
    return bar
      .filter(({ value }) => value > 0)
      .map(({ kind, value }) => {
        const upper = y(below + value);
        const box = `x="${fixed(left)}" y="${fixed(upper)}" width="${fixed(width)}" height="${fixed(y(below) - upper)}"`;
        below += value;
        return `<rect ${box} fill="${fill(kind)}"/>`;
      });
  });
  const none =
    highest === 0
      ? `<text x="${WIDTH / 2}" y="${top + PANEL / 2}" text-anchor="middle" fill="#767676">none</text>`
      : "";
  return [...grid, ...drawn, none].join("\n");
}

/** Stands on a white edge, so that the trigger's line does not cross it. */
function panelTitle(index: number, name: string): string {
  const edge = 'stroke="#fff" stroke-width="5" paint-order="stroke"';
  return `<text x="${LEFT}" y="${panelTop(index) - 10}" font-weight="bold" ${edge}>${name}</text>`;
}

function legend(seen: readonly Kind[], { totals, spec }: Report): string {
  let left = LEFT;
  return seen
    .map((kind) => {
      const label = kind === "ok" && spec.scenario.name === "tcp" ? "held to the end" : kindLabels[kind];
      const text = `${label} ${count(totals.outcomes[kind])}`;
      const entry =
        `<rect x="${left}" y="40" width="12" height="12" fill="${fill(kind)}" stroke="#444" stroke-width="0.5"/>` +
        `<text x="${left + 17}" y="51">${escapeXml(text)}</text>`;
      left += 17 + Math.round(text.length * 7.1) + 18;
      return entry;
    })
    .join("\n");
}

function timeAxis(report: Report, bottom: number): string {
  const { ticks } = niceScale(span(report), true, 10);
  return [
    ...ticks
      .filter((tick) => tick <= span(report))
      .map((tick) => {
        const at = fixed(x(tick, report));
        return `<line x1="${at}" x2="${at}" y1="${bottom}" y2="${bottom + 5}" stroke="#444"/><text x="${at}" y="${bottom + 20}" text-anchor="middle">${tick}</text>`;
      }),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${bottom + 42}" text-anchor="middle">seconds since the first request</text>`,
  ].join("\n");
}

function triggerMark(report: Report, bottom: number): string {
  const { trigger, spec } = report;
  if (trigger === undefined || !("atMs" in trigger)) return "";
  const at = x(Math.min(span(report), trigger.atMs / 1000), report);
  const what = spec.trigger?.command ?? "by hand";
  const label = `trigger: ${what.length > 48 ? `${what.slice(0, 47)}…` : what}`;
  // The label stands on the side that has more room.
  const side = at < WIDTH / 2 ? `x="${fixed(at + 5)}"` : `x="${fixed(at - 5)}" text-anchor="end"`;
  return [
    `<line x1="${fixed(at)}" x2="${fixed(at)}" y1="${TOP - 44}" y2="${bottom}" stroke="#222" stroke-width="1.5" stroke-dasharray="5 3"/>`,
    `<text ${side} y="${TOP - 32}">${escapeXml(label)}</text>`,
  ].join("\n");
}

function fill(kind: Kind): string {
  return styles[kind].isHatched ? `url(#hatch-${kind})` : styles[kind].colour;
}

function hatches(): string {
  const patterns = kinds
    .filter((kind) => styles[kind].isHatched)
    .map(
      (kind) =>
        `<pattern id="hatch-${kind}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="#fff"/><rect width="3" height="6" fill="${styles[kind].colour}"/></pattern>`,
    );
  return `<defs>${patterns.join("")}</defs>`;
}

function fixed(value: number): string {
  return String(Number(value.toFixed(1)));
}

function escapeXml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
