/**
 * AdmissionReview in and out: admission.k8s.io/v1 of Kubernetes.
 *
 * The API server drops a response without the request's uid, and one whose patch and patchType do not come together.
 */
import { lineOf, type Notice } from "../codes/registry.ts";
import type { PatchOperation } from "../mutate/patch.ts";
import { isObject, type JsonObject, type JsonValue, objectAt, textAt, valueAt } from "../pod/json.ts";

/** The only version that is spoken. */
export const REVIEW_VERSION = "admission.k8s.io/v1";

/** A request to admit an object. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: string;
  readonly kind: string;
  readonly group: string;
  readonly subResource: string;
  readonly namespace: string;
  readonly dryRun: boolean;
  /** The object as it came; undefined where there is none. */
  readonly object: JsonObject | undefined;
  /** What an update replaces. */
  readonly oldObject: JsonObject | undefined;
}

/** A request, or the sentence with which the call is refused (HTTP 400). */
export type ParsedReview =
  | { readonly ok: true; readonly request: AdmissionRequest }
  | { readonly ok: false; readonly problem: string };

/** Reads the body of a call. */
export function parseReview(body: Buffer): ParsedReview {
  if (body.length === 0) return { ok: false, problem: "the body is empty; send an AdmissionReview" };
  let review: JsonValue;
  try {
    review = JSON.parse(body.toString());
  } catch {
    return { ok: false, problem: "the body is not JSON; send an AdmissionReview" };
  }
  if (!isObject(review) || review.kind !== "AdmissionReview") {
    return { ok: false, problem: `the body is no AdmissionReview of ${REVIEW_VERSION}` };
  }
  if (review.apiVersion !== REVIEW_VERSION) {
    const theirs = typeof review.apiVersion === "string" ? review.apiVersion.slice(0, 60) : "missing";
    return {
      ok: false,
      problem: `apiVersion is ${JSON.stringify(theirs)}; only ${REVIEW_VERSION} is spoken, set admissionReviewVersions: [v1]`,
    };
  }
  const request = valueAt(review, "request");
  const uid = textAt(request, "uid");
  if (!isObject(request) || uid === undefined || uid === "") {
    return { ok: false, problem: "the AdmissionReview has no request with a uid" };
  }
  const object = valueAt(request, "object");
  const oldObject = valueAt(request, "oldObject");
  return {
    ok: true,
    request: {
      uid,
      operation: textAt(request, "operation") ?? "",
      kind: textAt(objectAt(request, "kind"), "kind") ?? "",
      group: textAt(objectAt(request, "kind"), "group") ?? "",
      subResource: textAt(request, "subResource") ?? "",
      namespace: textAt(request, "namespace") ?? textAt(objectAt(object, "metadata"), "namespace") ?? "",
      dryRun: request.dryRun === true,
      object: isObject(object) ? object : undefined,
      oldObject: isObject(oldObject) ? oldObject : undefined,
    },
  };
}

/** Audit annotations: short texts that the API server puts into its audit log under the webhook's name. */
export type AuditAnnotations = Readonly<Record<string, string>>;

/** Admits the object as it is. */
export function allowed(uid: string, notices: readonly Notice[] = [], audit: AuditAnnotations = {}): JsonObject {
  return response({ uid, allowed: true, ...extras(notices, audit) });
}

/** Admits the object with changes. */
export function patched(
  uid: string,
  operations: readonly PatchOperation[],
  notices: readonly Notice[],
  audit: AuditAnnotations,
): JsonObject {
  const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
  return response({ uid, allowed: true, patchType: "JSONPatch", patch, ...extras(notices, audit) });
}

/** Refuses the object. */
export function refused(uid: string, reason: string): JsonObject {
  return response({ uid, allowed: false, status: { code: 422, reason: "Invalid", message: reason } });
}

function response(fields: JsonObject): JsonObject {
  return { apiVersion: REVIEW_VERSION, kind: "AdmissionReview", response: fields };
}

function extras(notices: readonly Notice[], audit: AuditAnnotations): JsonObject {
  const warnings = [...new Set(notices.filter(({ severity }) => severity !== "info").map(lineOf))];
  return {
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(Object.keys(audit).length > 0 ? { auditAnnotations: audit } : {}),
  };
}
