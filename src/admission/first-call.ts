/**
 * Whether a call is the first about its pod, so that one pod is counted once although the API server calls twice.
 *
 * Nothing in an AdmissionReview says it: both calls have a uid of their own. Two things in the pod do. What an earlier
 * call wrote, the status, is still there. And where nothing was written (a pod that is left alone), Istio's injector has
 * come between the calls: its annotation is in the pod, but not among the fields that the pod's creator sent, which the
 * API server notes in managedFields before any webhook is called. A webhook configuration of ours sorts before Istio's,
 * so whatever Istio has changed in this creation has been here before. (A manifest of `istioctl kube-inject` carries the
 * annotation as its creator's.)
 *
 * Not decidable, and counted twice: a pod that is left alone and that another webhook than Istio's changes after us.
 */
import { STATUS } from "../pod/annotations.ts";
import { type JsonObject, objectAt, objectsAt, valueAt } from "../pod/json.ts";
import { isPodCreation } from "./admit.ts";
import type { AdmissionRequest } from "./review.ts";

/** Istio's injector writes it into every pod that it changes. */
const INJECTED = "sidecar.istio.io/status";

/** Whether the call creates a pod that has not been here before. */
export function isFirstCall(request: AdmissionRequest): boolean {
  if (request.object === undefined || !isPodCreation(request)) return false;
  const metadata = objectAt(request.object, "metadata");
  const sent = annotationsSent(metadata);
  // Without managedFields nobody knows who wrote what: a status is ours then, an injection may be the creator's.
  if (sent === undefined) return valueAt(objectAt(metadata, "annotations"), STATUS) === undefined;
  const since = Object.keys(objectAt(metadata, "annotations")).filter((name) => !sent.has(name));
  return !since.includes(STATUS) && !since.includes(INJECTED);
}

/** The names of the annotations that the pod's creator sent; undefined where the API server does not say. */
function annotationsSent(metadata: JsonObject): ReadonlySet<string> | undefined {
  const entries = objectsAt(metadata, "managedFields");
  if (entries.length === 0) return undefined;
  const fields = entries.flatMap((entry) =>
    Object.keys(objectAt(objectAt(objectAt(entry, "fieldsV1"), "f:metadata"), "f:annotations")),
  );
  return new Set(fields.map((field) => field.replace(/^f:/, "")));
}
