/**
 * `make golden`: writes the expected pods anew. Read the diff before you commit it.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { goldenText, samples } from "../test/golden/samples.ts";

let changed = 0;
const all = samples();
for (const sample of all) {
  const text = goldenText(sample);
  if (existsSync(sample.golden) && readFileSync(sample.golden, "utf8") === text) continue;
  writeFileSync(sample.golden, text);
  process.stdout.write(`wrote ${sample.golden}\n`);
  changed++;
}
process.stdout.write(`${changed} of ${all.length} golden files changed\n`);
