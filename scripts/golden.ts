/**
 * `make golden`: writes the expected pods and explanations anew. Read the diff before you commit it.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { explanations } from "../test/golden/explanations.ts";
import { goldenText, samples } from "../test/golden/samples.ts";

let changed = 0;
const all = [
  ...samples().map((sample) => ({ golden: sample.golden, text: () => goldenText(sample) })),
  ...explanations(),
];
for (const { golden, text } of all) {
  const wanted = text();
  if (existsSync(golden) && readFileSync(golden, "utf8") === wanted) continue;
  mkdirSync(dirname(golden), { recursive: true });
  writeFileSync(golden, wanted);
  process.stdout.write(`wrote ${golden}\n`);
  changed++;
}
process.stdout.write(`${changed} of ${all.length} golden files changed\n`);
