/**
 * `make test`: types, style, then every test that needs only npm packages, with coverage of src/.
 *
 *   node scripts/test.ts              all of it
 *   node scripts/test.ts src/pod      only the tests under a path, without coverage
 */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { resolve } from "node:path";

/** Lines of src/ that tests must reach, in per cent. */
const LINES = 95;

/**
 * Each test file is a process, and many start more of them, all with the same modules: kept compiled, they need a quarter
 * less of the processors. V8 counts coverage a little less exactly then, some tenths of a per cent too low.
 */
const compiled = resolve(".cache/compile");

const only = process.argv.slice(2);
const files = globSync([
  "src/**/*.test.ts",
  "lab/**/*.test.ts",
  "test/unit/**/*.test.ts",
  "test/integration/**/*.test.ts",
])
  .filter((file) => only.length === 0 || only.some((path) => file.startsWith(path)))
  .sort();

if (only.length === 0) {
  step("types", "tsc", ["--noEmit"]);
  step("style", "biome", ["check", "--error-on-warnings", "."]);
}
const coverage = [
  "--experimental-test-coverage",
  "--test-coverage-include=src/**/*.ts",
  "--test-coverage-exclude=src/**/*.test.ts",
  `--test-coverage-lines=${LINES}`,
];
step(`${files.length} test files`, process.execPath, [
  "--import",
  "./test/seed.ts",
  "--test",
  "--test-timeout=120000",
  "--test-concurrency=2",
  ...(only.length === 0 ? coverage : []),
  ...files,
]);

function step(name: string, command: string, args: readonly string[]): void {
  const started = performance.now();
  process.stderr.write(`\n== ${name}\n`);
  const result = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, NODE_COMPILE_CACHE: compiled } });
  if (result.error) throw result.error;
  if (result.status !== 0) {
    process.stderr.write(`== ${name} failed\n`);
    process.exit(result.status ?? 1);
  }
  process.stderr.write(`== ${name}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}
