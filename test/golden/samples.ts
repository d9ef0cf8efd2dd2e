/**
 * The pods of the golden files: this project's own (test/golden/pods), and those that the real Istio injector made,
 * where ../shared is there.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { lineOf } from "../../src/codes/registry.ts";
import { type Outcome, type PipelineOptions, runPipeline } from "../../src/mutate/pipeline.ts";
import { isObject, type JsonObject, type JsonValue, objectAt, textAt } from "../../src/pod/json.ts";
import { snapshotOf } from "../../src/policy/snapshot.ts";
import { type Policy, validatePolicy } from "../../src/policy/validate.ts";
import { reasonsOf } from "../../src/report/because.ts";
import { diffText } from "../../src/report/diff-text.ts";
import { plain } from "../../src/report/paint.ts";
import { podDiff } from "../../src/report/pod-diff.ts";

/** One pod of the golden files. */
export interface Sample {
  readonly name: string;
  /** Where the expected text is kept. */
  readonly golden: string;
  readonly namespace: string;
  readonly pod: JsonObject;
  readonly policies: readonly Policy[];
  /** Whether the whole pod is kept, or what changed in it. */
  readonly keep: "pod" | "changes";
}

const ownFolder = "test/golden/pods";
const istioFolder = "../shared/istio";

/** All samples that can be had here. */
export function samples(): readonly Sample[] {
  return [...ownSamples(), ...(existsSync(istioFolder) ? istioSamples() : [])];
}

function ownSamples(): readonly Sample[] {
  return filesIn(ownFolder, ".in.yaml").map((file) => {
    const documents = documentsOf(file);
    const pod = documents.find((document) => document.kind === "Pod");
    if (pod === undefined) throw new Error(`${file} has no pod`);
    const policies = documents
      .filter((document) => document.kind === "GracePolicy")
      .map((document) => {
        const validated = validatePolicy(document);
        if (!validated.ok) throw new Error(`${file}: ${JSON.stringify(validated.refusals)}`);
        return validated.policy;
      });
    const name = basename(file, ".in.yaml");
    const namespace = textAt(objectAt(pod, "metadata"), "namespace") ?? "shop";
    return { name, golden: join(ownFolder, `${name}.out.yaml`), namespace, pod, policies, keep: "pod" };
  });
}

function istioSamples(): readonly Sample[] {
  const sample = (name: string, namespace: string, pod: JsonObject): Sample => ({
    name,
    golden: join("test/golden/istio", `${name}.diff`),
    namespace,
    pod,
    policies: [],
    keep: "changes",
  });
  const reviews = filesIn(join(istioFolder, "reviews"), ".json").map((file) => {
    const request = objectAt(JSON.parse(readFileSync(file, "utf8")), "request");
    return sample(`review-${basename(file, ".json")}`, textAt(request, "namespace") ?? "", objectAt(request, "object"));
  });
  const manifests = filesIn(istioFolder, ".yaml").flatMap((file) =>
    documentsOf(file).flatMap((document) => {
      const pod = podOf(document);
      if (pod === undefined) return [];
      const kind = textAt(document, "kind")?.toLowerCase();
      const name = `${basename(file, ".yaml")}-${kind}-${textAt(objectAt(document, "metadata"), "name")}`;
      return [sample(name, "shop", pod)];
    }),
  );
  return [...reviews, ...manifests];
}

/** The pod that a workload makes. */
function podOf(document: JsonObject): JsonObject | undefined {
  if (document.kind === "Pod") return document;
  const spec = objectAt(document, "spec");
  const template =
    document.kind === "CronJob"
      ? objectAt(objectAt(objectAt(spec, "jobTemplate"), "spec"), "template")
      : objectAt(spec, "template");
  if (!isObject(template.spec)) return undefined;
  return { apiVersion: "v1", kind: "Pod", metadata: objectAt(template, "metadata"), spec: template.spec };
}

function filesIn(folder: string, end: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .sort()
    .map((name) => join(folder, name));
}

function documentsOf(file: string): readonly JsonObject[] {
  const parsed = parseAllDocuments(readFileSync(file, "utf8"));
  return (Array.isArray(parsed) ? parsed : []).map((document) => document.toJS() as JsonValue).filter(isObject);
}

/** Runs a pod of the samples through the pipeline. */
export function runSample({ namespace, policies }: Sample, pod: JsonObject): Outcome {
  const options: PipelineOptions = {
    snapshot: snapshotOf(policies, "gracegate"),
    hcImage: "registry.example/gracegate:test",
    gatewayTemplates: ["gateway"],
  };
  return runPipeline(pod, namespace, options);
}

/** The text that is kept for a pod. */
export function goldenText(sample: Sample): string {
  const outcome = runSample(sample, sample.pod);
  const notices = outcome.notices.map((notice) => `# ${notice.severity}: ${lineOf(notice)}\n`).join("");
  const head = `# ${outcome.facts.role} (${outcome.facts.rule})\n${notices}`;
  if (sample.keep === "pod") return `${head}${stringify(outcome.pod, { lineWidth: 0 })}`;
  if (outcome.plan === undefined || outcome.pod === sample.pod) return `${head}unchanged\n`;
  return `${head}${diffText(podDiff(sample.pod, outcome.pod, reasonsOf(outcome.whys())), plain, 1000)}\n`;
}
