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
import { type ExitCode, exitCode } from "./kit/command.ts";
import { type Refusal, refused } from "./kit/read.ts";
import { paint, print, printJson, say } from "./kit/say.ts";
import { filesOf, injectOptions } from "./manifest-input.ts";
import type { ExplainValues } from "./manifests.ts";

/** Runs the command. */
export async function run(values: ExplainValues): Promise<ExitCode | Refusal> {
  const { beforeAfter, after, only, svg } = values;
  if (beforeAfter && after) return refused("--before-after and --after exclude each other.");
  const pipeline = injectOptions(values);
  if (!pipeline.ok) return pipeline;
  const files = filesOf(values);
  if (!files.ok) return files;
  const { found, failed } = read(files.value, pipeline.value);
  const wanted = only === undefined ? found : found.filter(({ workload }) => workload.name === only);
  if (wanted.length === 0) {
    const names = found.map(({ workload }) => workload.name).join(", ");
    if (found.length > 0 || !failed)
      say(
        only === undefined
          ? "There is no workload in the manifests."
          : `There is no workload ${only}; there are ${names}.`,
      );
    return exitCode.failed;
  }
  const explanations: Explanation[] = [];
  for (const injected of wanted) {
    const explanation = explain(injected, pipeline.value);
    if (explanation === undefined) say(`${nameOf(injected)} is left alone: ${reasonLeftAlone(injected)}.`);
    else explanations.push(explanation);
    for (const notice of injected.outcome?.notices ?? []) {
      // GG303 is the reason for which it is left alone.
      if (notice.severity !== "info" && notice.code !== "GG303") say(`${nameOf(injected)}: ${lineOf(notice)}`);
    }
  }
  if (svg !== undefined && explanations.length > 1) {
    return refused("--svg draws one workload; choose it with --only NAME.");
  }
  const [first] = explanations;
  if (svg !== undefined && first !== undefined) writeFileSync(svg, explainSvg(first, viewsOf(first, values)));
  if (values.output === "json") printJson(explanations.map((one) => dataOf(one, values)));
  else print(explanations.map((one) => explainText(one, viewsOf(one, values), paint)).join("\n"));
  if (!beforeAfter && !after && explanations.length > 0) {
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

function viewsOf({ before, after }: Explanation, wanted: ExplainValues): readonly View[] {
  if (wanted.beforeAfter) return [before, after];
  return wanted.after ? [after] : [before];
}

function dataOf(explanation: Explanation, wanted: ExplainValues) {
  const { name, role, notes, recommendations } = explanation;
  return { name, role, views: viewsOf(explanation, wanted), notes, recommendations };
}

function nameOf({ workload, namespace }: InjectedWorkload): string {
  return `${workload.kind} ${namespace}/${workload.name}`;
}
