/**
 * The look of the picture: quiet fills with strong edges, so that the bars differ on paper without colours too (the
 * edge's dashes), and are told apart with any colour blindness by their labels.
 */

interface Palette {
  readonly ground: string;
  readonly text: string;
  readonly quiet: string;
  readonly grid: string;
  readonly death: string;
  readonly endless: string;
  /** Fill and edge of each tone. */
  readonly serving: readonly [string, string];
  readonly draining: readonly [string, string];
  readonly closing: readonly [string, string];
  readonly waiting: readonly [string, string];
  readonly down: readonly [string, string];
  readonly lost: readonly [string, string];
}

const light: Palette = {
  ground: "#ffffff",
  text: "#1f2328",
  quiet: "#59636e",
  grid: "#e3e8ee",
  death: "#cf222e",
  endless: "#8250df",
  serving: ["#c9ecd3", "#2f8f4e"],
  draining: ["#fdeab3", "#a97a00"],
  closing: ["#ffd8bd", "#c4601c"],
  waiting: ["#dfe7f1", "#6b7a90"],
  down: ["#f0f2f5", "#a3acb8"],
  lost: ["#ffffff", "#cf222e"],
};

const dark: Palette = {
  ground: "#0d1117",
  text: "#e6edf3",
  quiet: "#9aa5b1",
  grid: "#232a33",
  death: "#ff6a61",
  endless: "#c297ff",
  serving: ["#173d27", "#4cc271"],
  draining: ["#43350a", "#dcab2f"],
  closing: ["#4d2a12", "#f08a45"],
  waiting: ["#263140", "#8394ab"],
  down: ["#171c24", "#57606c"],
  lost: ["#0d1117", "#ff6a61"],
};

function colours(palette: Palette): string {
  const tones = ["serving", "draining", "closing", "waiting", "down", "lost"] as const;
  return [
    `.ground{fill:${palette.ground}}`,
    `.title,.heading,.text,.label,.lane,.verdict{fill:${palette.text}}`,
    `.quiet,.tick,.time,.number,.killed{fill:${palette.quiet}}`,
    `.grid{stroke:${palette.grid}}`,
    `.kill{stroke:${palette.quiet}}`,
    `text.death,.time.death{fill:${palette.death}}`,
    `text.endless,.time.endless{fill:${palette.endless}}`,
    `.deathline{stroke:${palette.death}}`,
    `.deathground{fill:${palette.death}}`,
    `.endlessground{fill:${palette.endless}}`,
    `.sign{fill:${palette.ground}}`,
    ...tones.map((tone) => `.${tone}{fill:${palette[tone][0]};stroke:${palette[tone][1]}}`),
  ].join("");
}

const shapes = [
  "text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif}",
  ".title{font-size:20px;font-weight:600}",
  ".heading{font-size:15px;font-weight:600}",
  ".verdict{font-weight:600}",
  ".label{font-size:12px;text-anchor:middle}",
  ".lane{font-size:12px}",
  ".tick,.killed{font-size:11px;text-anchor:middle}",
  ".time{text-anchor:end;font-variant-numeric:tabular-nums}",
  ".sign{font-size:13px;font-weight:700;text-anchor:middle}",
  ".kill{stroke-width:1.5;stroke-dasharray:4 3}",
  ".deathline{stroke-width:1.5}",
  ".draining{stroke-dasharray:5 2}",
  ".closing{stroke-dasharray:2 2}",
  ".lost{stroke-dasharray:1 4}",
].join("");

/** The style sheet. */
export const STYLE = `${shapes}${colours(light)}@media screen and (prefers-color-scheme:dark){${colours(dark)}}`;
