/**
 * Mutation 5: a sleep hook for application containers, while the pod leaves the endpoints. Opt-in.
 *
 * Only with applicationPreStopSleep, and only on containers that have no preStop. Not before the proxy is rendered.
 */
import { isObject, type JsonValue, objectAt, sameJson, valueAt } from "../pod/json.ts";
import { preStopOf } from "../pod/pre-stop.ts";
import { inSeconds, ms, wholeSeconds } from "../units/milliseconds.ts";
import { type Mutation, unchanged } from "./context.ts";
import { withPreStop, withSpec } from "./edit.ts";
import { settingOf, type Why, type Whys } from "./why.ts";

/** Mutation 5. */
export const applicationLifecycle: Mutation = {
  name: "application-lifecycle",
  apply(pod, { facts, role, budget }) {
    if (role.kind !== "sidecar" || !facts.isRendered) return unchanged(pod);
    const setting = role.settings.applicationPreStopSleep;
    const time = wholeSeconds(ms(Math.min(setting.value, budget.appStop)));
    const hook = time > 0 ? { sleep: { seconds: inSeconds(time) } } : undefined;
    const wrote: Record<string, JsonValue> = {};
    const why: Why = { tag: "endpoints leave", setting: settingOf("applicationPreStopSleep", setting) };
    const whys = (): Whys =>
      facts.applications.flatMap(({ name }) =>
        Object.hasOwn(wrote, `${name}/preStop`) ? [[`/spec/containers/${name}/lifecycle`, why] as const] : [],
      );
    const there = valueAt(objectAt(pod, "spec"), "containers");
    const containers = Array.isArray(there) ? [...there] : [];
    let isChanged = false;
    for (const { name, index, preStop } of facts.applications) {
      const container = containers[index];
      if (preStop !== undefined || !isObject(container)) continue;
      if (hook !== undefined) wrote[`${name}/preStop`] = hook;
      if (sameJson(preStopOf(container)?.hook, hook)) continue;
      containers[index] = withPreStop(container, hook);
      isChanged = true;
    }
    return { pod: isChanged ? withSpec(pod, "containers", containers) : pod, wrote, whys };
  },
};
