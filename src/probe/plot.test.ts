import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomesOf, reportOf } from "../../test/unit/probe-report.ts";
import { kinds } from "./outcome.ts";
import { plot } from "./plot.ts";

const rects = (svg: string, fill: string) => [...svg.matchAll(new RegExp(`<rect x=[^>]*fill="${fill}"/>`, "g"))].length;

test("each second has a bar for what ended in it, losses by class", () => {
  const svg = plot(reportOf());
  assert.equal(rects(svg, "#0072B2"), 20, "ten of complete answers and ten of the slowest");
  assert.equal(rects(svg, "#E69F00"), 1, "closed");
  assert.equal(rects(svg, "#D55E00"), 1, "5xx");
  assert.match(svg, /5 of 100 lost<\/text>/);
});

test("the trigger has a line and a label, and its command cannot break the picture", () => {
  const svg = plot(reportOf());
  assert.match(svg, /stroke-dasharray/);
  assert.match(svg, />trigger: kubectl rollout restart deploy\/gw &amp;&amp; echo &lt;done&gt;<\/text>/);
  assert.doesNotMatch(plot(reportOf({ trigger: undefined })), /stroke-dasharray/);
});

test("a long command is cut, and a late trigger has its label on the left", () => {
  const { spec } = reportOf();
  const svg = plot(
    reportOf({
      spec: { ...spec, trigger: { command: "x".repeat(200), atMs: 9000 } },
      trigger: { state: "cut short", atMs: 9000 },
    }),
  );
  assert.match(svg, /text-anchor="end" y="\d+"[^>]*>trigger: x{47}…<\/text>/);
});

test("the legend has the classes that were seen and no others, each with a fill of its own", () => {
  assert.equal([...plot(reportOf()).matchAll(/stroke-width="0.5"/g)].length, 3);
  const all = plot(reportOf({}, { outcomes: outcomesOf(Object.fromEntries(kinds.map((kind) => [kind, 1]))) }));
  const fills = [...all.matchAll(/fill="([^"]+)" stroke="#444" stroke-width="0.5"/g)].map((match) => match[1]);
  assert.equal(new Set(fills).size, kinds.length);
});

test("a run without any answer is drawn too", () => {
  const svg = plot(reportOf({}, { timeline: { sliceMs: 1000, slices: [{ counts: {}, slowestMs: 0 }] } }));
  assert.equal([...svg.matchAll(/>none<\/text>/g)].length, 3);
  assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
});
