/**
 * One admission: from a request to a response, never an exception.
 *
 * Whatever goes wrong in here admits the pod unchanged: a pod without its protection is better than no pod.
 */
import { boundedNotices, LONGEST_SENTENCE } from "../codes/bounded.ts";
import { cut } from "../codes/quoted.ts";
import { type Notice, notice } from "../codes/registry.ts";
import { makePatch, verifies } from "../mutate/patch.ts";
import { type Outcome, type PipelineOptions, runPipeline } from "../mutate/pipeline.ts";
import type { JsonObject } from "../pod/json.ts";
import type { Role, RoleRule } from "../pod/role.ts";
import { type AdmissionRequest, allowed, patched, refused } from "./review.ts";

/** How an admission ended. */
export type AdmissionOutcome = "patched" | "unchanged" | "skipped" | "denied" | "error";

/** An admission: the answer, and what logs and metrics tell of it. */
export interface Admission {
  readonly response: JsonObject;
  readonly outcome: AdmissionOutcome;
  readonly role: Role;
  readonly rule: RoleRule | "not-a-pod-creation";
  readonly notices: readonly Notice[];
  readonly changedBy: readonly string[];
  /** What went wrong, for the log. */
  readonly error?: unknown;
}

/** Admits one object. */
export function admit(request: AdmissionRequest, options: PipelineOptions): Admission {
  try {
    return decide(request, options);
  } catch (error) {
    const notices = [notice("GG501", { uid: request.uid })];
    return {
      response: allowed(request.uid, notices),
      outcome: "error",
      role: "none",
      rule: "not-a-pod-creation",
      notices,
      changedBy: [],
      error,
    };
  }
}

function decide(request: AdmissionRequest, options: PipelineOptions): Admission {
  const { uid, object } = request;
  if (object === undefined || !isPodCreation(request)) {
    return { ...of(allowed(uid), "skipped"), rule: "not-a-pod-creation" };
  }
  const outcome = runPipeline(object, request.namespace, { ...options, uid });
  const result = { ...outcome, notices: boundedNotices(outcome.notices) };
  const { facts, notices, changedBy } = result;
  const told = { role: facts.role, rule: facts.rule, notices, changedBy };
  if (result.refusal !== undefined) {
    return { ...of(refused(uid, cut(result.refusal, LONGEST_SENTENCE - 1)), "denied"), ...told };
  }
  if (facts.role === "none") return { ...of(allowed(uid, notices), "skipped"), ...told };
  const operations = makePatch(object, result.pod);
  if (operations.length === 0) return { ...of(allowed(uid, notices, audit(result)), "unchanged"), ...told };
  if (!verifies(object, operations, result.pod)) throw new Error("the patch does not turn the pod into the result");
  return { ...of(patched(uid, operations, notices, audit(result)), "patched"), ...told };
}

function of(response: JsonObject, outcome: AdmissionOutcome): Admission {
  return { response, outcome, role: "none", rule: "not-a-pod-creation", notices: [], changedBy: [] };
}

/** Whether the call is about a pod that is being created: anything else is none of ours. */
export function isPodCreation({ operation, kind, group, subResource }: AdmissionRequest): boolean {
  return operation === "CREATE" && kind === "Pod" && group === "" && subResource === "";
}

/** Longest audit annotation, characters: a namespace may have many policies. */
const LONGEST_AUDIT = 1000;

function audit({ facts, changedBy, policies, notices }: Outcome): Record<string, string> {
  const values = {
    role: facts.role,
    rule: facts.rule,
    changed: changedBy.join(","),
    policies: policies.map(({ namespace, name }) => `${namespace}/${name}`).join(","),
    codes: [...new Set(notices.map(({ code }) => code))].join(","),
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === "" ? [] : [[name, cut(value, LONGEST_AUDIT)]])),
  );
}
