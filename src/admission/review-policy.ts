/**
 * The review of a GracePolicy that somebody applies: one that says what its namespace may not is refused, where it says so
 * anew. What was stored before stays changeable, so that its labels can be edited and its finalizers removed.
 *
 * The schema cannot see the policy that delegates, so the CRD lets such a policy through, and so does an API server that
 * reaches no webhook. That is no way around: the fields are left out wherever they would be used.
 */
import { lineOf, type Notice } from "../codes/registry.ts";
import { type JsonValue, objectAt, sameJson, textAt } from "../pod/json.ts";
import { beyondDelegation, type Delegation, delegationNotices } from "../policy/delegation.ts";
import { API_VERSION, KIND } from "../policy/schema.ts";
import { settingAt } from "../policy/setting-path.ts";
import { type AdmissionRequest, allowed, refused } from "./review.ts";
import type { Review } from "./review-workload.ts";

/** Whether a request is about a policy. */
export function isPolicy({ kind, group, subResource }: AdmissionRequest): boolean {
  return kind === KIND && subResource === "" && API_VERSION.startsWith(`${group}/`);
}

/** Reviews one policy. Never throws. */
export function reviewPolicy(request: AdmissionRequest, delegation: Delegation): Review {
  try {
    const notices = noticesOf(request, delegation);
    const isRefused = notices.length > 0;
    const response = isRefused ? refused(request.uid, notices.map(lineOf).join(" ")) : allowed(request.uid);
    return { response, notices, isRefused };
  } catch (error) {
    return { response: allowed(request.uid), notices: [], error };
  }
}

function noticesOf({ object, oldObject, namespace }: AdmissionRequest, delegation: Delegation): readonly Notice[] {
  const spec = objectAt(object, "spec");
  const before = objectAt(oldObject, "spec");
  const isNew = (path: string) => !sameJson(settingAt(spec, path) as JsonValue, settingAt(before, path) as JsonValue);
  const paths = beyondDelegation(namespace, spec, delegation).filter(isNew);
  return delegationNotices({ namespace, name: textAt(objectAt(object, "metadata"), "name") ?? "" }, paths, delegation);
}
