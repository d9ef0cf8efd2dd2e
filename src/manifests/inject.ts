/**
 * The webhook's pipeline over the workloads of a document.
 */
import { type Outcome, type PipelineOptions, runPipeline } from "../mutate/pipeline.ts";
import { OVERRIDE_PREFIX } from "../pod/annotations.ts";
import { isObject, type JsonObject, objectAt, withKey } from "../pod/json.ts";
import { type BrokenManifest, type Manifest, parseManifest } from "./document.ts";
import { lineAt } from "./line.ts";
import { rewrite } from "./rewrite.ts";
import type { Chunk } from "./stream.ts";
import { valueIn, type Workload, withPods, workloadsOf } from "./workload.ts";

/** What the pipeline needs, and what a manifest may not say itself. */
export interface InjectOptions extends PipelineOptions {
  /** Namespace of objects that name none. */
  readonly namespace: string;
  /** Written into each pod as gracegate.dev/role. */
  readonly role: "gateway" | "sidecar" | undefined;
}

/** A workload and what became of its pod. */
export interface InjectedWorkload {
  readonly workload: Workload;
  readonly namespace: string;
  /** Line of the stream on which the object starts. */
  readonly line: number;
  /** Why the pipeline was not run. */
  readonly skipped: string | undefined;
  readonly outcome: Outcome | undefined;
}

/** A document after the pipeline. */
export interface Injected {
  /** The same text where nothing changed. */
  readonly text: string;
  readonly broken: BrokenManifest | undefined;
  readonly workloads: readonly InjectedWorkload[];
  /** Comments and style were lost. */
  readonly whole: boolean;
}

/** Namespaces whose pods the webhook never gets to see. */
const SYSTEM: readonly string[] = ["kube-system", "kube-public", "kube-node-lease"];

/** Runs the pipeline over all workloads of one document and writes the changes into its text. */
export function injectDocument(chunk: Chunk, options: InjectOptions): Injected {
  const manifest = parseManifest(chunk);
  if (!manifest.ok) return { text: chunk.text, broken: manifest, workloads: [], whole: false };
  const workloads = outcomesOf(manifest, options);
  const after = withPods(
    manifest.value,
    workloads.flatMap(({ workload, outcome }) => (outcome === undefined ? [] : [{ workload, pod: outcome.pod }])),
  );
  return { ...rewrite(manifest, after), broken: undefined, workloads };
}

/** Runs the pipeline over all workloads of one document. */
export function outcomesOf(manifest: Manifest, options: InjectOptions): readonly InjectedWorkload[] {
  return workloadsOf(manifest.value).map((workload) => {
    const namespace = workload.namespace ?? options.namespace;
    const isUnseen = SYSTEM.includes(namespace) || namespace === options.snapshot.rootNamespace;
    const reason = isUnseen ? `the webhook never sees the namespace ${namespace}` : malformed(manifest, workload);
    return {
      workload,
      namespace,
      // Few ask for it, and it needs the document's tree.
      get line() {
        return lineAt(manifest, workload.at);
      },
      skipped: reason,
      outcome: reason !== undefined ? undefined : runPipeline(withRole(workload.pod, options.role), namespace, options),
    };
  });
}

/** Why a pod's metadata can hold nothing more; an edit would put something else in its place. */
function malformed({ value }: Manifest, { podAt }: Workload): string | undefined {
  const wrong = [["metadata"], ["metadata", "annotations"]].find((path) => {
    const found = valueIn(value, [...podAt, ...path]);
    return found !== undefined && found !== null && !isObject(found);
  });
  return wrong && `the pod's ${wrong.join(".")} is no mapping, which the API server refuses`;
}

function withRole(pod: JsonObject, role: InjectOptions["role"]): JsonObject {
  if (role === undefined) return pod;
  const metadata = objectAt(pod, "metadata");
  const annotations = withKey(objectAt(metadata, "annotations"), `${OVERRIDE_PREFIX}role`, role);
  return withKey(pod, "metadata", withKey(metadata, "annotations", annotations));
}
