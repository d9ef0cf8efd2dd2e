/**
 * Wraps a pod into the AdmissionReview that an API server would send for its creation.
 */
import { randomUUID } from "node:crypto";
import { type JsonObject, objectAt, textAt } from "../src/pod/json.ts";

/** A review of a pod's creation, with a uid of its own. */
export function reviewOf(pod: JsonObject, changes: JsonObject = {}): JsonObject {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: randomUUID(),
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      namespace: textAt(objectAt(pod, "metadata"), "namespace") ?? "default",
      operation: "CREATE",
      userInfo: { username: "system:serviceaccount:kube-system:replicaset-controller" },
      object: pod,
      oldObject: null,
      dryRun: false,
      options: { apiVersion: "meta.k8s.io/v1", kind: "CreateOptions" },
      ...changes,
    },
  };
}
