/**
 * What `gracegate check` does: reads all manifests, runs the rules over them together, and mends what is safe to mend.
 */
import { writeFileSync } from "node:fs";
import { repaired } from "../check/fix.ts";
import { inventoryOf, type Source } from "../check/inventory.ts";
import { checkData, checkText } from "../check/present.ts";
import { rules } from "../check/rules.ts";
import { type PlacedFinding, runRules } from "../check/run.ts";
import type { Severity } from "../codes/registry.ts";
import { type BrokenManifest, type Manifest, parseManifest, withoutTree } from "../manifests/document.ts";
import { chunksOf } from "../manifests/stream.ts";
import { keepSmall } from "../probe/memory.ts";
import { wrapText } from "../report/wrap-text.ts";
import { readManifest, STDIN } from "../sources/manifest-files.ts";
import { checkCluster } from "./check-cluster.ts";
import { conclude, paint, SEVERITIES } from "./check-words.ts";
import { type ExitCode, exitCode, print, say, WrongUse } from "./command.ts";
import { filesOf, injectOptions } from "./manifest-input.ts";
import { clearProgress, progress } from "./progress.ts";

type Options = Readonly<Record<string, unknown>>;

/** Runs the command. */
export async function run(options: Options): Promise<ExitCode> {
  keepSmall();
  const asJson = options.output === "json";
  if (!asJson && options.output !== "text") {
    throw new WrongUse(`-o ${String(options.output)} is not a format; there are text and json.`);
  }
  const least = SEVERITIES.indexOf(options.failOn as Severity);
  if (least === -1) throw new WrongUse(`--fail-on ${String(options.failOn)} is none of ${SEVERITIES.join(", ")}.`);
  if (options.rules === true) {
    print(asJson ? JSON.stringify(ruleData(), undefined, 2) : ruleList());
    return exitCode.ok;
  }
  if (options.cluster === true || options.context !== undefined) return checkCluster(options, least, asJson);
  const files = filesOf(options);
  const isPiped = options.fix === true && files.includes(STDIN);
  if (isPiped && files.length > 1) throw new WrongUse("--fix takes either stdin or files.");
  const pipeline = injectOptions(options);
  const read = files.map(readFile);
  progress(() => `checking ${files.length} file${files.length === 1 ? "" : "s"}`);
  const inventory = inventoryOf(
    read.flatMap(({ sources }) => sources),
    pipeline,
  );
  const broken = read.flatMap(({ problems }) => problems);
  const found = runRules(inventory, rules);
  const left = options.fix === true ? mend(read, found, isPiped) : found;
  const results = [...broken, ...left];
  const show = isPiped ? (text: string) => say(text.trimEnd()) : print;
  if (asJson) show(JSON.stringify(checkData(results), undefined, 2));
  else if (results.length > 0) show(checkText(results, paint(isPiped ? process.stderr : process.stdout)));
  const mended = found.length - left.length;
  return conclude(inventory, results, { least, asJson, more: mended > 0 ? `; ${mended} mended` : "" });
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
    clearProgress();
    if (toStdout) process.stdout.write(text);
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
