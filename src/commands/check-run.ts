/**
 * What `gracegate check` does: reads all manifests, runs the rules over them together, and mends what is safe to mend.
 */
import { writeFileSync } from "node:fs";
import { repaired } from "../check/fix.ts";
import { inventoryOf, type Source } from "../check/inventory.ts";
import { checkData, checkText } from "../check/present.ts";
import { rules } from "../check/rules.ts";
import { type PlacedFinding, runRules } from "../check/run.ts";
import { type BrokenManifest, type Manifest, parseManifest, withoutTree } from "../manifests/document.ts";
import { chunksOf } from "../manifests/stream.ts";
import { keepSmall } from "../probe/memory.ts";
import { wrapText } from "../report/wrap-text.ts";
import { readManifest, STDIN } from "../sources/manifest-files.ts";
import { checkCluster } from "./check-cluster.ts";
import { conclude } from "./check-words.ts";
import { type ExitCode, exitCode } from "./kit/command.ts";
import { progress } from "./kit/progress.ts";
import { type Refusal, refused } from "./kit/read.ts";
import { jsonText, paint, paintOn, print, printJson, say, write } from "./kit/say.ts";
import { filesOf, injectOptions } from "./manifest-input.ts";
import type { CheckValues } from "./manifests.ts";

/** Runs the command. */
export async function run(values: CheckValues): Promise<ExitCode | Refusal> {
  keepSmall();
  const asJson = values.output === "json";
  if (values.rules) {
    if (asJson) printJson(ruleData());
    else print(ruleList());
    return exitCode.ok;
  }
  if (values.cluster || values.context !== undefined) return checkCluster(values);
  const named = filesOf(values);
  if (!named.ok) return named;
  const files = named.value;
  const isPiped = values.fix && files.includes(STDIN);
  if (isPiped && files.length > 1) return refused("--fix takes either stdin or files.");
  const pipeline = injectOptions(values);
  if (!pipeline.ok) return pipeline;
  const read = files.map(readFile);
  progress(() => `checking ${files.length} file${files.length === 1 ? "" : "s"}`);
  const inventory = inventoryOf(
    read.flatMap(({ sources }) => sources),
    pipeline.value,
  );
  const broken = read.flatMap(({ problems }) => problems);
  const found = runRules(inventory, rules);
  const left = values.fix ? mend(read, found, isPiped) : found;
  const results = [...broken, ...left];
  const show = isPiped ? (text: string) => say(text.trimEnd()) : print;
  if (asJson) show(jsonText(checkData(results)));
  else if (results.length > 0) show(checkText(results, isPiped ? paintOn(process.stderr) : paint));
  const mended = found.length - left.length;
  return conclude(inventory, results, { least: values.failOn, asJson, more: mended > 0 ? `; ${mended} mended` : "" });
}

/** A file's documents, in order, and what cannot be read. */
interface ReadFile {
  readonly path: string;
  readonly documents: readonly (Manifest | BrokenManifest)[];
  readonly sources: readonly Source[];
  readonly problems: readonly PlacedFinding[];
}

function readFile(path: string): ReadFile {
  const file = readManifest(path);
  if (!file.ok) {
    const problem = unreadable(file.name, 1, `${file.name} ${file.reason}.`, "give a text file that is there");
    return { path, documents: [], sources: [], problems: [{ ...problem, object: "a file" }] };
  }
  const documents = [...chunksOf(file.text)].map((chunk, index) => {
    progress(() => `reading ${file.name}: ${index} documents`);
    const parsed = parseManifest(chunk);
    return parsed.ok ? withoutTree(parsed) : parsed;
  });
  return {
    path,
    documents,
    sources: documents.flatMap((manifest) => (manifest.ok ? [{ file: file.name, manifest }] : [])),
    problems: documents.flatMap((one) =>
      one.ok ? [] : [unreadable(`${file.name}`, one.line, `column ${one.column}: ${one.reason}.`)],
    ),
  };
}

function unreadable(
  file: string,
  line: number,
  message: string,
  fix = "mend the YAML; what is in it was not checked",
): PlacedFinding {
  return {
    file,
    line,
    object: "a document",
    rule: "unreadable",
    severity: "error",
    message,
    fix,
    doc: "docs/check.md#what-cannot-be-read",
    repair: undefined,
  };
}

/** Writes the repairs and returns what is left. */
function mend(
  files: readonly ReadFile[],
  results: readonly PlacedFinding[],
  toStdout: boolean,
): readonly PlacedFinding[] {
  const texts = repaired(results);
  for (const { path, documents } of files) {
    const isMended = documents.some((one) => one.ok && texts.has(one));
    const text = documents.map((one) => (one.ok ? (texts.get(one) ?? one.chunk.text) : one.chunk.text)).join("");
    if (toStdout) write(text);
    else if (isMended) writeFileSync(path, text);
  }
  return results.filter(({ repair }) => repair === undefined);
}

function ruleList(): string {
  const width = Math.max(...rules.map(({ id }) => id.length));
  return rules
    .map(({ id, severity, title }) =>
      wrapText(title, 80, `${id.padEnd(width)}  ${severity.padEnd(7)}  `, " ".repeat(width + 11)),
    )
    .join("\n");
}

function ruleData() {
  return rules.map(({ id, severity, title, reason, fix }) => ({ id, severity, title, reason, fix }));
}
