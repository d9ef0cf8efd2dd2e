/**
 * Mutation 2: EXIT_ON_ZERO_ACTIVE_CONNECTIONS and MINIMUM_DRAIN_DURATION as environment variables of a rendered proxy.
 *
 * The agent reads the two only from its real environment. Istio renders them from the annotation when it injects; a
 * gateway of the Gateway API, a manifest that was injected offline, and a pod that this webhook sees only after Istio
 * lack them. It does not apply to a stub, nor to a native sidecar, which ignores both. The user's values stay unless an
 * override says otherwise, and no variable is written twice.
 */
import { type JsonObject, type JsonValue, valueAt, withElement, withKey } from "../pod/json.ts";
import { EXIT_ON_ZERO, MINIMUM_DRAIN } from "../pod/proxy-values.ts";
import { isOurs } from "../pod/status.ts";
import { formatDuration } from "../units/duration.ts";
import { type Mutation, unchanged } from "./context.ts";
import { withContainer } from "./edit.ts";

/** Mutation 2. */
export const proxyEnvironment: Mutation = {
  name: "proxy-environment",
  apply(pod, context) {
    const { proxy, isRendered } = context.facts;
    if (proxy === undefined || !isRendered || proxy.native) return unchanged(pod);
    const { exitOnZero, minimumDrain } = context;
    const wrote: Record<string, JsonValue> = {};
    let container = proxy.container;
    const wanted: readonly [string, string | undefined, boolean][] = [
      [EXIT_ON_ZERO, exitOnZero && String(exitOnZero.value), exitOnZero?.overrides ?? false],
      [MINIMUM_DRAIN, minimumDrain && formatDuration(minimumDrain.value), minimumDrain?.overrides ?? false],
    ];
    for (const [name, value, overrides] of wanted) {
      const users = context.users.variables.includes(name);
      if (users && !overrides) continue;
      const next = withVariable(container, name, value);
      const isNoted = isOurs(context.facts.status, `istio-proxy/env/${name}`, value);
      if (value !== undefined && (next !== container || isNoted)) wrote[`istio-proxy/env/${name}`] = value;
      container = next;
    }
    if (container === proxy.container) return { pod, wrote };
    return { pod: withContainer(pod, proxy.list, proxy.index, container), wrote };
  },
};

/** A container with a variable set, or removed; the same object where it is right already. */
function withVariable(container: JsonObject, name: string, value: string | undefined): JsonObject {
  const there = valueAt(container, "env");
  const env = Array.isArray(there) ? there : [];
  const index = env.findLastIndex((variable) => valueAt(variable, "name") === name);
  if (index === -1) {
    return value === undefined ? container : withKey(container, "env", [...env, { name, value }]);
  }
  if (value === undefined) return withKey(container, "env", env.toSpliced(index, 1));
  if (valueAt(env[index], "value") === value) return container;
  return withKey(container, "env", withElement(env, index, { name, value }));
}
