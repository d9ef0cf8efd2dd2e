/**
 * Mutation 5: a sleep hook for application containers, while the pod leaves the endpoints. Opt-in.
 *
 * Only with applicationPreStopSleep, and only on containers that have no preStop. Not before the proxy is rendered.
 */
import type { JsonValue } from "../pod/json.ts";
import { sameJson } from "../pod/json.ts";
import { preStopOf } from "../pod/pre-stop.ts";
import { type Mutation, unchanged } from "./context.ts";
import { containerNamed, withContainer, withPreStop } from "./edit.ts";

/** Mutation 5. */
export const applicationLifecycle: Mutation = {
  name: "application-lifecycle",
  apply(pod, { facts, role, budget }) {
    if (role.kind !== "sidecar" || !facts.isRendered) return unchanged(pod);
    const seconds = Math.min(role.settings.applicationPreStopSleep.value, budget.appStop);
    const hook = seconds > 0 ? { sleep: { seconds } } : undefined;
    const wrote: Record<string, JsonValue> = {};
    let result = pod;
    for (const application of facts.applications) {
      if (application.preStop !== undefined) continue;
      const at = containerNamed(result, "containers", application.name);
      if (at === undefined) continue;
      if (hook !== undefined) wrote[`${application.name}/preStop`] = hook;
      if (sameJson(preStopOf(at.container)?.hook, hook)) continue;
      result = withContainer(result, "containers", at.index, withPreStop(at.container, hook));
    }
    return { pod: result, wrote };
  },
};
