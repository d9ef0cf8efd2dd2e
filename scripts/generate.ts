/**
 * `make generate`: writes the CRD and the tables of the docs from their sources.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { generated } from "./generated.ts";

let changed = 0;
for (const { path, text } of generated) {
  const wanted = await text();
  if (existsSync(path) && readFileSync(path, "utf8") === wanted) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, wanted);
  process.stdout.write(`wrote ${path}\n`);
  changed++;
}
process.stdout.write(`${changed} of ${generated.length} generated files changed\n`);
