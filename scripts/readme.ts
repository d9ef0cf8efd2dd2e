/**
 * Pastes the output of `make run` into the README: node scripts/readme.ts
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const env = { ...process.env, CI: "true", NO_COLOR: "1" };
const { stdout, status, stderr } = spawnSync(process.execPath, ["scripts/demo.ts"], { encoding: "utf8", env });
if (status !== 0) throw new Error(stderr);
const shown = stdout.slice(stdout.indexOf("== "), stdout.indexOf("Try next")).trim();
const readme = readFileSync("README.md", "utf8");
const start = "<!-- make run -->\n";
const end = "<!-- end: make run -->";
const from = readme.indexOf(start) + start.length;
writeFileSync(
  "README.md",
  `${readme.slice(0, from)}\n\`\`\`diff\n${shown}\n\`\`\`\n${readme.slice(readme.indexOf(end))}`,
);
