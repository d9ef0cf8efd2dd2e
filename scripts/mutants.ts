/**
 * Which lines of the product no test holds: it changes one thing at a time and looks whether a test fails.
 *
 *   node scripts/mutants.ts src/budget --sample 100 --seed 7 --tests src/budget,test/unit/properties.test.ts
 *
 * Works on a copy in a temporary folder, never on this tree. A mutant that hangs for 60 s counts as found. Prints every
 * mutant that no test noticed, then the score. It is a tool for people who change the code: nothing runs it by itself.
 */
import { spawn } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

/** One changed place. */
interface Mutant {
  readonly file: string;
  readonly at: number;
  readonly was: string;
  readonly is: string;
}

/** A mutant that runs longer is taken for an endless loop, milliseconds. */
const PATIENCE_MS = 60_000;

const SWAPS: readonly (readonly [RegExp, string])[] = [
  [/ <= /y, " < "],
  [/ < /y, " <= "],
  [/ >= /y, " > "],
  [/ > /y, " >= "],
  [/ === /y, " !== "],
  [/ !== /y, " === "],
  [/ && /y, " || "],
  [/ \|\| /y, " && "],
  [/ \+ /y, " - "],
  [/ - /y, " + "],
  [/ \* /y, " / "],
  [/\bMath\.max\b/y, "Math.min"],
  [/\bMath\.min\b/y, "Math.max"],
  [/\bMath\.ceil\b/y, "Math.floor"],
  [/\btrue\b/y, "false"],
  [/\bfalse\b/y, "true"],
  [/(?<=return )\S[^;\n]*(?=;)/y, "undefined as never"],
  [/(?<=[ (])[0-9][0-9_]*\b(?![.:])/y, "7919"],
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    tests: { type: "string", default: "" },
  },
});
if (positionals.length === 0) {
  process.stderr.write("name a folder of src/, for example: node scripts/mutants.ts src/budget\n");
  process.exit(2);
}
const files = positionals
  .flatMap((path) => globSync(path.endsWith(".ts") ? path : `${path}/**/*.ts`))
  .filter((file) => !file.endsWith(".test.ts"))
  .sort();
const tests = [...positionals.filter((path) => !path.endsWith(".ts")), ...values.tests.split(",").filter(Boolean)]
  .flatMap((path) => globSync(path.endsWith(".ts") ? path : `${path}/**/*.test.ts`))
  .sort();
const chosen = sample(files.flatMap(mutantsOf), Number(values.sample), Number(values.seed));

const copy = mkdtempSync(join(tmpdir(), "gracegate-mutants-"));
try {
  for (const name of ["src", "test", "charts", "docs", "examples", "scripts", "lab", "bench", "rigs", "package.json"]) {
    if (globSync(name).length > 0) cpSync(name, join(copy, name), { recursive: true });
  }
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  if (!(await pass())) throw new Error("the tests fail before anything is changed");
  let found = 0;
  for (const [index, mutant] of chosen.entries()) {
    const place = join(copy, mutant.file);
    const text = readFileSync(place, "utf8");
    writeFileSync(place, text.slice(0, mutant.at) + mutant.is + text.slice(mutant.at + mutant.was.length));
    if (!(await pass())) found += 1;
    else
      process.stdout.write(
        `survived  ${mutant.file}:${text.slice(0, mutant.at).split("\n").length}  ${line(text, mutant)}\n`,
      );
    writeFileSync(place, text);
    if (process.stderr.isTTY) process.stderr.write(`\r${index + 1} of ${chosen.length}`);
  }
  const share = chosen.length === 0 ? 100 : (100 * found) / chosen.length;
  process.stdout.write(`${found} of ${chosen.length} mutants were found by a test: ${share.toFixed(0)} %\n`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Every place of a file that can be changed; comments, strings, imports and types are left out. */
function mutantsOf(file: string): readonly Mutant[] {
  const text = readFileSync(file, "utf8");
  const code = text
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, "\0"))
    .replace(/"(?:[^"\\\n]|\\.)*"|`[^`]*`/g, (literal) => literal.replace(/[^\n]/g, "\0"))
    .replace(/^(?:import|export type|export interface|type|interface| {2}readonly) .*$/gm, (row) =>
      row.replace(/./g, "\0"),
    );
  const found: Mutant[] = [];
  for (let at = 0; at < code.length; at++) {
    if (code[at] === "\0") continue;
    for (const [pattern, is] of SWAPS) {
      pattern.lastIndex = at;
      const was = pattern.exec(code)?.[0];
      if (was !== undefined && !was.includes("\0") && was !== is) found.push({ file, at, was, is });
    }
  }
  return found;
}

/** Some of them, the same for the same seed. */
function sample(all: readonly Mutant[], size: number, seed: number): readonly Mutant[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state;
  };
  return all
    .map((mutant) => ({ mutant, order: next() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, size)
    .map(({ mutant }) => mutant);
}

function line(text: string, { at, was, is }: Mutant): string {
  const start = text.lastIndexOf("\n", at) + 1;
  const row = text.slice(start, text.indexOf("\n", at));
  return `${row.trim()}   [${was.trim()} → ${is.trim()}]`;
}

/** Whether all tests pass in the copy. */
function pass(): Promise<boolean> {
  return new Promise((done) => {
    const child = spawn(process.execPath, ["--import", "./test/seed.ts", "--test", "--test-concurrency=2", ...tests], {
      cwd: copy,
      stdio: "ignore",
      env: { ...process.env, NODE_COMPILE_CACHE: resolve(".cache/compile") },
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
    child.once("exit", (code) => {
      clearTimeout(timer);
      done(code === 0);
    });
  });
}
