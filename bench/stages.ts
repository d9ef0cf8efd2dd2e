/**
 * What each stage of the pipeline costs, measured in this process without a network.
 */
import { parseReview, patched } from "../src/admission/review.ts";
import { makePatch, verifies } from "../src/mutate/patch.ts";
import { runPipeline } from "../src/mutate/pipeline.ts";
import { PROXY_CONFIG } from "../src/pod/annotations.ts";
import { factsOf } from "../src/pod/facts.ts";
import { objectAt, textAt } from "../src/pod/json.ts";
import { editProxyConfig, parseProxyConfig } from "../src/pod/proxy-config.ts";
import { snapshotOf } from "../src/policy/snapshot.ts";
import { ORDINARY, sidecarReview } from "./pods.ts";

/** Makes texts that were not seen before. */
let count = 0;

/** How often each stage is run. */
const ROUNDS = 5000;

/** Measures and prints the stages, microseconds. */
export function printStages(): void {
  const body = Buffer.from(sidecarReview(ORDINARY));
  const parsed = parseReview(body);
  if (!parsed.ok || parsed.request.object === undefined) throw new Error("the review does not parse");
  const pod = parsed.request.object;
  const options = { snapshot: snapshotOf([], "gracegate"), hcImage: "gracegate:bench", gatewayTemplates: ["gateway"] };
  const result = runPipeline(pod, "shop", options);
  const operations = makePatch(pod, result.pod);
  const annotation = textAt(objectAt(objectAt(pod, "metadata"), "annotations"), PROXY_CONFIG);
  process.stdout.write("\nstage                          µs\n");
  const stages: readonly [string, () => unknown][] = [
    ["parse the review", () => parseReview(body)],
    ["facts", () => factsOf(pod, "shop", ["gateway"])],
    ["read the annotation, known", () => parseProxyConfig(annotation)],
    ["read the annotation, new", () => parseProxyConfig(`${annotation}# ${count++}\n`)],
    [
      "read and edit it, new",
      () => {
        const read = parseProxyConfig(`${annotation}# ${count++}\n`);
        return read.ok ? editProxyConfig(read.config, [{ path: ["terminationDrainDuration"], value: "25s" }]) : "";
      },
    ],
    ["whole pipeline", () => runPipeline(pod, "shop", options)],
    ["make the patch", () => makePatch(pod, result.pod)],
    ["verify the patch", () => verifies(pod, operations, result.pod)],
    ["write the response", () => JSON.stringify(patched("uid", operations, result.notices, {}))],
  ];
  for (const [name, stage] of stages)
    process.stdout.write(`${name.padEnd(28)} ${microseconds(stage).toFixed(1).padStart(6)}\n`);
}

function microseconds(stage: () => unknown): number {
  for (let round = 0; round < ROUNDS / 5; round++) stage();
  const started = performance.now();
  for (let round = 0; round < ROUNDS; round++) stage();
  return ((performance.now() - started) * 1000) / ROUNDS;
}
