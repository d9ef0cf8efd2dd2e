/**
 * Mutation 2: the variables of the proxy's agent (proxy-variables.ts) as environment variables of a rendered proxy.
 *
 * The agent reads them only from its real environment. Istio renders them from the annotation when it injects; a
 * gateway of the Gateway API, a manifest that was injected offline, and a pod that this webhook sees only after Istio
 * lack them. It does not apply to a stub, nor to a native sidecar, which ignores them. The user's values stay unless an
 * override says otherwise, and no variable is written twice.
 */
import { type JsonObject, type JsonValue, valueAt, withElement, withKey } from "../pod/json.ts";
import { isOurs } from "../pod/status.ts";
import { type Mutation, unchanged } from "./context.ts";
import { withContainer } from "./edit.ts";
import { wantedVariables } from "./proxy-variables.ts";
import type { Whys } from "./why.ts";

/** Mutation 2. */
export const proxyEnvironment: Mutation = {
  name: "proxy-environment",
  apply(pod, context) {
    const { proxy, isRendered } = context.facts;
    if (proxy === undefined || !isRendered || proxy.native) return unchanged(pod);
    const wrote: Record<string, JsonValue> = {};
    const variables = wantedVariables(context);
    const whys = (): Whys =>
      variables.flatMap(([name, wanted]) =>
        wanted === undefined ? [] : [[`/spec/${proxy.list}/istio-proxy/env/${name}`, wanted.why] as const],
      );
    let container = proxy.container;
    for (const [name, wanted] of variables) {
      if (context.users.variables.includes(name) && !wanted?.overrides) continue;
      const value = wanted?.text;
      const next = withVariable(container, name, value);
      const isNoted = isOurs(context.facts.status, `istio-proxy/env/${name}`, value);
      if (value !== undefined && (next !== container || isNoted)) wrote[`istio-proxy/env/${name}`] = value;
      container = next;
    }
    if (container === proxy.container) return { pod, wrote, whys };
    return { pod: withContainer(pod, proxy.list, proxy.index, container), wrote, whys };
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
