/**
 * Mutation 7: the annotation gracegate.dev/status, on every pod that is changed.
 *
 * Compact JSON for people, `check` and the second call: version, role and the rule that gave it, the policies, the
 * budget, the codes of all calls, the grace period before the first change, and what was written.
 */
import { codes as known, type Notice } from "../codes/registry.ts";
import { STATUS } from "../pod/annotations.ts";
import type { JsonObject, JsonValue } from "../pod/json.ts";
import { objectAt, textAt } from "../pod/json.ts";
import type { Policy } from "../policy/validate.ts";
import { inSeconds } from "../units/milliseconds.ts";
import { version } from "../version.ts";
import type { Context } from "./context.ts";
import { withAnnotation } from "./edit.ts";

/** What goes into the status besides the plan. */
export interface StatusInput {
  readonly policies: readonly Policy[];
  readonly notices: readonly Notice[];
  readonly wrote: Readonly<Record<string, JsonValue>>;
  /** Observe: nothing else was changed. */
  readonly observed: boolean;
}

/** A copy of the pod with the status annotation. */
export function withStatus(pod: JsonObject, context: Context, input: StatusInput): JsonObject {
  const text = statusText(context, input);
  const there = textAt(objectAt(objectAt(pod, "metadata"), "annotations"), STATUS);
  return there === text ? pod : withAnnotation(pod, STATUS, text);
}

function statusText({ facts, budget }: Context, { policies, notices, wrote, observed }: StatusInput): string {
  // Somebody may have edited the status: it keeps codes, and nothing that looks like one.
  const earlier = facts.status.codes.filter((code) => Object.hasOwn(known, code));
  const codes = [...new Set([...earlier, ...notices.map((notice) => notice.code)])].sort();
  return JSON.stringify({
    version,
    role: facts.role,
    rule: facts.rule,
    ...(observed ? { mode: "Observe" } : {}),
    policies: policies.map(
      ({ namespace, name, resourceVersion }) =>
        `${namespace}/${name}${resourceVersion === undefined ? "" : `@${resourceVersion}`}`,
    ),
    budget: {
      drainTimeout: inSeconds(budget.drainTimeout.value),
      ...(facts.role === "gateway"
        ? { lbBuffer: inSeconds(budget.lbBuffer.value) }
        : { appStop: inSeconds(budget.appStop) }),
      hook: inSeconds(budget.hook.value),
      terminationDrainDuration: inSeconds(budget.terminationDrainDuration.value),
      minimumDrainDuration: inSeconds(budget.minimumDrainDuration.value),
      exitOnZero: budget.exitOnZero,
      margin: inSeconds(budget.margin),
      gracePeriod: inSeconds(budget.gracePeriod.value),
    },
    ...(codes.length === 0 ? {} : { codes }),
    gracePeriod: inSeconds(facts.gracePeriod),
    wrote,
  });
}
