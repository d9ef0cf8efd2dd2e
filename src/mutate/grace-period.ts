/**
 * Mutation 6: terminationGracePeriodSeconds, only ever raised over what the user has.
 *
 * Not before the proxy is rendered: a pod that Istio never injects keeps its grace period.
 */
import { DEFAULT_GRACE_PERIOD } from "../pod/facts.ts";
import { objectAt, valueAt } from "../pod/json.ts";
import { type Mutation, unchanged } from "./context.ts";
import { withSpec } from "./edit.ts";

/** Mutation 6. */
export const gracePeriod: Mutation = {
  name: "grace-period",
  apply(pod, { facts, budget }) {
    if (!facts.isRendered) return unchanged(pod);
    const there = valueAt(objectAt(pod, "spec"), "terminationGracePeriodSeconds");
    const wrote: Record<string, number> =
      budget.gracePeriod > facts.gracePeriod ? { gracePeriod: budget.gracePeriod } : {};
    if ((there ?? DEFAULT_GRACE_PERIOD) === budget.gracePeriod) return { pod, wrote };
    return { pod: withSpec(pod, "terminationGracePeriodSeconds", budget.gracePeriod), wrote };
  },
};
