/**
 * What `gracegate explain` does: finds the workloads in the manifests and shows each one's start and termination.
 */
import { writeFileSync } from "node:fs";
import { lineOf } from "../codes/registry.ts";
import { parseManifest } from "../manifests/document.ts";
import { type InjectedWorkload, type InjectOptions, outcomesOf } from "../manifests/inject.ts";
import { chunksOf } from "../manifests/stream.ts";
import { type Explanation, explain, type View } from "../report/explain/explanation.ts";
import { explainSvg } from "../report/explain/svg.ts";
import { explainText } from "../report/explain/text.ts";
import { reasonLeftAlone } from "../report/left-alone.ts";
import { readManifest } from "../sources/manifest-files.ts";
import { colour, type ExitCode, exitCode, print, say, WrongUse } from "./command.ts";
import { filesOf, injectOptions } from "./manifest-input.ts";

type Options = Readonly<Record<string, unknown>>;

/** Runs the command. */
export async function run(options: Options): Promise<ExitCode> {
  if (options.output !== "text" && options.output !== "json") {
    throw new WrongUse(`-o ${String(options.output)} is not a format; there are text and json.`);
  }
  if (options.beforeAfter === true && options.after === true) {
    throw new WrongUse("--before-after and --after exclude each other.");
  }
  const pipeline = injectOptions(options);
  const { found, failed } = read(filesOf(options), pipeline);
  const wanted = options.only === undefined ? found : found.filter(({ workload }) => workload.name === options.only);
  if (wanted.length === 0) {
    const names = found.map(({ workload }) => workload.name).join(", ");
    if (found.length > 0 || !failed)
      say(
        options.only === undefined
          ? "There is no workload in the manifests."
          : `There is no workload ${options.only}; there are ${names}.`,
      );
    return exitCode.failed;
  }
  const explanations: Explanation[] = [];
  for (const injected of wanted) {
    const explanation = explain(injected, pipeline);
    if (explanation === undefined) say(`${nameOf(injected)} is left alone: ${reasonLeftAlone(injected)}.`);
    else explanations.push(explanation);
    for (const notice of injected.outcome?.notices ?? []) {
      // GG303 is the reason for which it is left alone.
      if (notice.severity !== "info" && notice.code !== "GG303") say(`${nameOf(injected)}: ${lineOf(notice)}`);
    }
  }
  if (options.svg !== undefined) writeSvg(String(options.svg), explanations, options);
  if (options.output === "json")
    print(
      JSON.stringify(
        explanations.map((one) => dataOf(one, options)),
        undefined,
        2,
      ),
    );
  else print(explanations.map((one) => explainText(one, viewsOf(one, options), paint)).join("\n"));
  if (options.beforeAfter !== true && options.after !== true && explanations.length > 0) {
    say("This is the pod as it stands in the manifest; --before-after adds it as Gracegate makes it.");
  }
  return failed ? exitCode.failed : exitCode.ok;
}

function read(files: readonly string[], pipeline: InjectOptions): { found: InjectedWorkload[]; failed: boolean } {
  const found: InjectedWorkload[] = [];
  let failed = false;
  const problem = (sentence: string) => {
    failed = true;
    say(sentence);
  };
  for (const file of files) {
    const manifest = readManifest(file);
    if (!manifest.ok) {
      problem(`${manifest.name} ${manifest.reason}.`);
      continue;
    }
    for (const chunk of chunksOf(manifest.text)) {
      const parsed = parseManifest(chunk);
      if (parsed.ok) found.push(...outcomesOf(parsed, pipeline));
      else problem(`${manifest.name}:${parsed.line}:${parsed.column}: ${parsed.reason}.`);
    }
  }
  return { found, failed };
}

function viewsOf({ before, after }: Explanation, options: Options): readonly View[] {
  if (options.beforeAfter === true) return [before, after];
  return options.after === true ? [after] : [before];
}

function dataOf(explanation: Explanation, options: Options) {
  const { name, role, notes, recommendations } = explanation;
  return { name, role, views: viewsOf(explanation, options), notes, recommendations };
}

function writeSvg(file: string, explanations: readonly Explanation[], options: Options): void {
  const [explanation, ...others] = explanations;
  if (explanation === undefined) return;
  if (others.length > 0) throw new WrongUse("--svg draws one workload; choose it with --only NAME.");
  writeFileSync(file, explainSvg(explanation, viewsOf(explanation, options)));
}

function nameOf({ workload, namespace }: InjectedWorkload): string {
  return `${workload.kind} ${namespace}/${workload.name}`;
}

const paint = {
  title: (text: string) => colour("bold", text, process.stdout),
  death: (text: string) => colour("red", text, process.stdout),
  endless: (text: string) => colour("yellow", text, process.stdout),
  quiet: (text: string) => colour("dim", text, process.stdout),
};
