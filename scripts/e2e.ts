/**
 * `make e2e`: the tests on real components. Each test file asks test/e2e/install/components.ts for what it needs, which
 * installs or builds it on first use.
 *
 *   node scripts/e2e.ts                    all of it
 *   node scripts/e2e.ts probe apiserver    only the files whose name contains one of the words
 *
 * One file at a time: they load the machine, and some count seconds.
 */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

const only = process.argv.slice(2);
const files = globSync("test/e2e/**/*.test.ts")
  .filter((file) => only.length === 0 || only.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`no e2e test file contains ${only.join(" or ")}\n`);
  process.exit(2);
}
const build = spawnSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
if (build.status !== 0) process.exit(build.status ?? 1);
const result = spawnSync(process.execPath, ["--test", "--test-concurrency=1", ...files], { stdio: "inherit" });
process.exit(result.status ?? 1);
