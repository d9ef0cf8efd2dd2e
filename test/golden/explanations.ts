/**
 * The explanations that are kept as text and as pictures: the golden pods of this project, before and after.
 */
import { join } from "node:path";
import { parseManifest } from "../../src/manifests/document.ts";
import type { InjectOptions } from "../../src/manifests/inject.ts";
import { outcomesOf } from "../../src/manifests/inject.ts";
import { snapshotOf } from "../../src/policy/snapshot.ts";
import { explain } from "../../src/report/explain/explanation.ts";
import { explainSvg } from "../../src/report/explain/svg.ts";
import { explainText } from "../../src/report/explain/text.ts";
import { plain } from "../../src/report/paint.ts";
import { type Sample, samples } from "./samples.ts";

/** A kept file and its text as it should be. */
export interface Kept {
  readonly golden: string;
  text(): string;
}

const folder = "test/golden/explain";

/** All of them. */
export function explanations(): readonly Kept[] {
  return samples()
    .filter(({ keep }) => keep === "pod")
    .flatMap((sample) => [
      { golden: join(folder, `${sample.name}.txt`), text: () => textOf(sample) },
      { golden: join(folder, `${sample.name}.svg`), text: () => svgOf(sample) },
    ]);
}

function textOf(sample: Sample): string {
  const explained = explainedSample(sample);
  return explained === undefined ? "left alone\n" : explainText(explained, [explained.before, explained.after], plain);
}

function svgOf(sample: Sample): string {
  const explained = explainedSample(sample);
  return explained === undefined ? "" : explainSvg(explained, [explained.before, explained.after]);
}

function explainedSample({ pod, policies, namespace }: Sample) {
  const options: InjectOptions = {
    snapshot: snapshotOf(policies, "gracegate"),
    hcImage: "registry.example/gracegate:test",
    gatewayTemplates: ["gateway"],
    namespace,
    role: undefined,
  };
  const parsed = parseManifest({ text: JSON.stringify({ apiVersion: "v1", ...pod, kind: "Pod" }), line: 1 });
  const [injected] = parsed.ok ? outcomesOf(parsed, options) : [];
  return injected && explain(injected, options);
}
