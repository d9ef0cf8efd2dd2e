/**
 * The dashboard's panels on one page, drawn with SVG from the same queries: there is no Grafana among the packages that
 * these tests may install, and a person should see what the queries give.
 */
import type { Panel } from "./panels.ts";
import { nameOf } from "./panels.ts";
import type { Series } from "./prometheus.ts";

/** A panel with the answer to each of its queries, in their order. */
export interface Answered {
  readonly panel: Panel;
  readonly answers: readonly (readonly Series[])[];
}

/** A line with its name. */
interface Line {
  readonly name: string;
  readonly samples: readonly (readonly [number, number])[];
}

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [520, 170, 58, 20];
const COLOURS = ["#7eb26d", "#eab839", "#6ed0e0", "#ef843c", "#e24d42", "#1f78c1", "#ba43a9", "#705da0", "#508642"];
const STATE_COLOURS = ["#5794f2", "#73bf69", "#fade2a", "#ff9830", "#f2495c"];

/** The page. */
export function page(panels: readonly Answered[], from: number, to: number): string {
  const style = `body{background:#111217;color:#ccccdc;font:13px DejaVu Sans,sans-serif;display:flex;flex-wrap:wrap;gap:8px;width:1640px}
    figure{margin:0;background:#181b1f;border:1px solid #2c3235;padding:8px;width:${WIDTH}px}
    figcaption{font-weight:bold;padding-bottom:4px}li{list-style:none;display:inline-block;margin-right:10px;font-size:11px}
    ul{margin:2px 0;padding:0}svg{display:block}.big{font-size:26px;padding:6px 18px 6px 0;display:inline-block}small{font-size:11px}`;
  const figures = panels.map((one) => figure(one, from, to)).join("\n");
  return `<!doctype html><meta charset="utf-8"><title>Gracegate</title><style>${style}</style>\n${figures}\n`;
}

function figure({ panel, answers }: Answered, from: number, to: number): string {
  const lines = panel.queries.flatMap(({ legend }, at) =>
    (answers[at] ?? []).map(({ labels, samples }): Line => ({ name: nameOf(legend, labels), samples })),
  );
  const drawn =
    panel.drawing === "timeseries"
      ? plot(panel, lines, from, to)
      : panel.drawing === "state-timeline"
        ? timeline(panel, lines, from, to)
        : lines.map((line) => value(panel, line)).join("");
  return `<figure><figcaption>${escaped(panel.title)}</figcaption>${drawn}</figure>`;
}

function value({ unit }: Panel, { name, samples }: Line): string {
  return `<span class="big">${words(samples.at(-1)?.[1] ?? Number.NaN, unit)}<br><small>${escaped(name)}</small></span>`;
}

function plot({ unit }: Panel, lines: readonly Line[], from: number, to: number): string {
  const most = Math.max(...lines.flatMap(({ samples }) => samples.map(([, y]) => y)).filter(Number.isFinite), 0);
  const top = most > 0 ? most : 1;
  const x = (at: number) => LEFT + ((at - from) / (to - from)) * (WIDTH - LEFT);
  const y = (of: number) => HEIGHT - BOTTOM - (of / top) * (HEIGHT - BOTTOM - 8);
  const paths = lines.map(({ samples }, index) => {
    const points = samples.filter(([, of]) => Number.isFinite(of)).map(([at, of]) => [x(at), y(of)] as const);
    const d = points.map(([px, py], at) => `${isGap(samples, at) ? "M" : "L"}${px.toFixed(1)} ${py.toFixed(1)}`);
    return `<path d="${d.join("")}" fill="none" stroke-width="1.6" stroke="${colour(index)}"/>`;
  });
  const grid = [0, 0.5, 1].map((part) => {
    const at = y(top * part);
    return `<line x1="${LEFT}" x2="${WIDTH}" y1="${at}" y2="${at}" stroke="#2c3235"/><text x="${LEFT - 6}" y="${at + 4}" text-anchor="end" font-size="11" fill="#9a9aab">${words(top * part, unit)}</text>`;
  });
  return `${svg(`${grid.join("")}${paths.join("")}${axis(from, to)}`)}${legend(lines)}`;
}

function timeline(panel: Panel, lines: readonly Line[], from: number, to: number): string {
  const x = (at: number) => LEFT + 60 + ((at - from) / (to - from)) * (WIDTH - LEFT - 60);
  const height = Math.min(40, (HEIGHT - BOTTOM) / Math.max(1, lines.length));
  const rows = lines.map(({ name, samples }, row) => {
    const boxes = samples.map(
      ([at, state]) =>
        `<rect x="${x(at).toFixed(1)}" y="${row * height}" width="${(x(at + 1) - x(at) + 0.5).toFixed(1)}" height="${height - 4}" fill="${STATE_COLOURS[state] ?? "#fff"}"/>`,
    );
    return `${boxes.join("")}<text x="0" y="${row * height + height / 2 + 2}" font-size="11" fill="#ccccdc">${escaped(name)}</text>`;
  });
  const key = [...panel.words].map(
    ([state, word]) => `<li><span style="color:${STATE_COLOURS[state]}">■</span> ${escaped(word)}</li>`,
  );
  return `${svg(rows.join(""))}<ul>${key.join("")}</ul>`;
}

function axis(from: number, to: number): string {
  const label = (at: number, where: number, anchor: string) =>
    `<text x="${where}" y="${HEIGHT - 4}" font-size="11" text-anchor="${anchor}" fill="#9a9aab">${new Date(at * 1000).toISOString().slice(11, 19)}</text>`;
  return label(from, LEFT, "start") + label(to, WIDTH, "end");
}

function legend(lines: readonly Line[]): string {
  const shown = lines.filter(({ samples }) => samples.some(([, of]) => of > 0)).slice(0, 9);
  const items = (shown.length > 0 ? shown : lines.slice(0, 4)).map(
    (line) => `<li><span style="color:${colour(lines.indexOf(line))}">━</span> ${escaped(line.name)}</li>`,
  );
  return `<ul>${items.join("")}</ul>`;
}

/** Whether a line begins anew: there was no sample for more than a step. */
function isGap(samples: Line["samples"], at: number): boolean {
  const [before, here] = [samples[at - 1]?.[0], samples[at]?.[0]];
  return before === undefined || here === undefined || here - before > 1.5;
}

function words(of: number, unit: string): string {
  if (unit === "percentunit") return `${(of * 100).toFixed(0)} %`;
  if (unit === "ops") return `${of.toFixed(of < 10 ? 2 : 0)}/s`;
  if (unit !== "s") return String(Math.round(of * 100) / 100);
  if (of >= 2 * 86_400) return `${Math.round(of / 86_400)} d`;
  return of > 0 && of < 0.1 ? `${(of * 1000).toFixed(2)} ms` : `${of.toFixed(of < 10 ? 1 : 0)} s`;
}

function colour(index: number): string {
  return COLOURS[index % COLOURS.length] ?? "#fff";
}

function svg(inner: string): string {
  return `<svg width="${WIDTH}" height="${HEIGHT}" xmlns="http://www.w3.org/2000/svg">${inner}</svg>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
