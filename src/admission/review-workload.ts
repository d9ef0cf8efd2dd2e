/**
 * Warnings about a Deployment, StatefulSet or DaemonSet, for the person who applies it. What Gracegate says about a pod is
 * told to whoever creates the pod, and that is a controller, which tells nobody. Nothing is ever refused here.
 */
import { boundedNotices } from "../codes/bounded.ts";
import { type Notice, notice } from "../codes/registry.ts";
import { type PipelineOptions, runPipeline } from "../mutate/pipeline.ts";
import { isObject, type JsonObject, objectAt, textAt } from "../pod/json.ts";
import { type AdmissionRequest, allowed } from "./review.ts";

/** The kinds with a pod template whose pods run on. */
const KINDS = ["Deployment", "StatefulSet", "DaemonSet"];

/** A review: the answer, and what logs and metrics tell of it. */
export interface Review {
  readonly response: JsonObject;
  readonly notices: readonly Notice[];
  readonly isRefused?: boolean;
  /** What went wrong, for the log. */
  readonly error?: unknown;
}

/** Reviews one workload. Never throws. */
export function reviewWorkload(request: AdmissionRequest, options: PipelineOptions): Review {
  try {
    const notices = noticesOf(request, options);
    return { response: allowed(request.uid, notices), notices };
  } catch (error) {
    return { response: allowed(request.uid), notices: [], error };
  }
}

function noticesOf(
  { object, kind, group, subResource, namespace }: AdmissionRequest,
  options: PipelineOptions,
): readonly Notice[] {
  if (object === undefined || group !== "apps" || subResource !== "" || !KINDS.includes(kind)) return [];
  const template = objectAt(objectAt(object, "spec"), "template");
  const name = textAt(objectAt(object, "metadata"), "name") ?? "";
  const pod: JsonObject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...objectAt(template, "metadata"), generateName: `${name}-`, namespace },
    spec: objectAt(template, "spec"),
  };
  const { notices, refusal } = runPipeline(pod, namespace, options);
  return boundedNotices([
    ...(refusal === undefined ? [] : [notice("GG502", { kind, name })]),
    ...misplaced(object, template).map((annotation) => notice("GG107", { annotation, kind })),
    ...notices,
  ]);
}

/** Overrides that somebody wrote on the workload, where no pod gets them. */
function misplaced(object: JsonObject, template: JsonObject): readonly string[] {
  const annotations = (of: JsonObject) => objectAt(objectAt(of, "metadata"), "annotations");
  const ofPods = annotations(template);
  return Object.keys(annotations(object)).filter(
    (name) => name.startsWith("gracegate.dev/") && isObject(ofPods) && !Object.hasOwn(ofPods, name),
  );
}
