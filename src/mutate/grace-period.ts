/**
 * Mutation 6: terminationGracePeriodSeconds, only ever raised over what the user has.
 *
 * Not before the proxy is rendered: a pod that Istio never injects keeps its grace period.
 */
import { DEFAULT_GRACE_PERIOD } from "../pod/facts.ts";
import { objectAt, valueAt } from "../pod/json.ts";
import { inSeconds } from "../units/milliseconds.ts";
import { type Mutation, unchanged } from "./context.ts";
import { withSpec } from "./edit.ts";
import type { Whys } from "./why.ts";

/** Mutation 6. */
export const gracePeriod: Mutation = {
  name: "grace-period",
  apply(pod, { facts, budget }) {
    if (!facts.isRendered) return unchanged(pod);
    const there = valueAt(objectAt(pod, "spec"), "terminationGracePeriodSeconds");
    const { value, because } = budget.gracePeriod;
    const wanted = inSeconds(value);
    const wrote: Record<string, number> = value > facts.gracePeriod ? { gracePeriod: wanted } : {};
    const whys = (): Whys => [["/spec/terminationGracePeriodSeconds", because]];
    if ((there ?? inSeconds(DEFAULT_GRACE_PERIOD)) === wanted) return { pod, wrote, whys };
    return { pod: withSpec(pod, "terminationGracePeriodSeconds", wanted), wrote, whys };
  },
};
