/**
 * Mutation 3: the health controller beside a rendered gateway proxy.
 *
 * It does not apply to a stub (Istio would rewrite the probes of an hc that is already there), nor where hc cannot be
 * or is not wanted. One of ours is brought up to date; a user's own container of that name only gets the variables that
 * it lacks.
 */
import {
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  sameJson,
  textAt,
  textsAt,
  valueAt,
} from "../pod/json.ts";
import { isOurs } from "../pod/status.ts";
import { type Context, type GatewayRole, type Mutation, unchanged } from "./context.ts";
import { containerNamed, overlay, withContainer, withSpec } from "./edit.ts";
import { budgetVariables, hcContainerOf, KNOWN_VARIABLES, whysOf } from "./hc-spec.ts";

/** Mutation 3. */
export const hcContainer: Mutation = {
  name: "hc",
  apply(pod, context) {
    const { role, facts } = context;
    if (role.kind !== "gateway" || !facts.isRendered) return unchanged(pod);
    const { hc } = role;
    switch (hc.kind) {
      case "ours":
        return withOurs(pod, context, role, hc.image, hc.there);
      case "users":
        return { ...withMissingVariables(pod, context), notices: [hc.notice] };
      default:
        return { pod: withoutOurs(pod, context), wrote: {}, notices: hc.notice === undefined ? [] : [hc.notice] };
    }
  },
};

function withOurs(pod: JsonObject, context: Context, role: GatewayRole, image: string, there: JsonObject | undefined) {
  const { container: wanted, whys } = hcContainerOf(pod, context, role, image);
  const secrets = pullSecrets(pod, context, namesOf(role.settings.hc.imagePullSecrets));
  const extra = namesOf(role.settings.hc.extraEnv);
  const wrote: Record<string, JsonValue> = { hc: image, ...(extra.length > 0 ? { "hc/extraEnv": extra } : {}) };
  if (secrets.added.length > 0) wrote.imagePullSecrets = secrets.added;
  const withSecrets = secrets.pod;
  if (there === undefined) return { pod: inserted(withSecrets, wanted), wrote, whys };
  const updated = withoutStaleVariables(overlay(there, wanted), wanted, context);
  if (sameJson(there, updated)) return { pod: withSecrets, wrote, whys };
  const at = containerNamed(withSecrets, "containers", "hc");
  const changed = at === undefined ? withSecrets : withContainer(withSecrets, "containers", at.index, updated);
  return { pod: changed, wrote, whys };
}

function namesOf(list: readonly { readonly name?: string }[] = []): readonly string[] {
  return list.flatMap(({ name }) => name ?? []);
}

/** Puts hc right after istio-proxy. */
function inserted(pod: JsonObject, hc: JsonObject): JsonObject {
  const containers = valueAt(objectAt(pod, "spec"), "containers");
  if (!Array.isArray(containers)) return pod;
  const proxy = containers.findIndex((container) => textAt(container, "name") === "istio-proxy");
  return withSpec(pod, "containers", containers.toSpliced(proxy === -1 ? containers.length : proxy + 1, 0, hc));
}

/** Variables of ours that an earlier policy asked for and this one does not. */
function withoutStaleVariables(container: JsonValue, wanted: JsonObject, { facts }: Context): JsonObject {
  const names = new Set(objectsAt(wanted, "env").map((variable) => textAt(variable, "name") ?? ""));
  const ours = new Set([...KNOWN_VARIABLES, ...textsAt(facts.status.wrote, "hc/extraEnv")]);
  const there = objectsAt(container, "env");
  const env = there.filter((variable) => {
    const name = textAt(variable, "name") ?? "";
    return names.has(name) || !ours.has(name);
  });
  return env.length === there.length ? (container as JsonObject) : { ...(container as JsonObject), env };
}

/** The variables that a user's own hc lacks; ones that an earlier call added are brought up to date. */
function withMissingVariables(pod: JsonObject, { budget, facts }: Context) {
  const at = containerNamed(pod, "containers", "hc");
  if (at === undefined) return unchanged(pod);
  const there = objectsAt(at.container, "env");
  const { DRAIN_TIMEOUT, LB_BUFFER, GRACE_PERIOD } = budgetVariables(budget);
  const variables = { DRAIN_TIMEOUT, LB_BUFFER, GRACE_PERIOD };
  const whys = () => whysOf(variables);
  const added = Object.entries(variables)
    .map(([name, { text }]) => ({ name, value: text }))
    .filter(({ name }) => {
      const own = there.find((variable) => variable.name === name);
      return own === undefined || isOurs(facts.status, `hc/env/${name}`, own.value);
    });
  const wrote = Object.fromEntries(added.map(({ name, value }) => [`hc/env/${name}`, value]));
  const names = new Set(added.map(({ name }) => name));
  const env = [...there.filter((variable) => !names.has(textAt(variable, "name") ?? "")), ...added];
  if (sameJson(there, env)) return { pod, wrote, whys };
  return { pod: withContainer(pod, "containers", at.index, { ...at.container, env }), wrote, whys };
}

/** Without hc of an earlier call that is not wanted any more, and its pull secrets. */
function withoutOurs(pod: JsonObject, context: Context): JsonObject {
  const at = containerNamed(pod, "containers", "hc");
  if (at === undefined || !isOurs(context.facts.status, "hc", textAt(at.container, "image"))) return pod;
  const rest = pullSecrets(pod, context, []).pod;
  const containers = valueAt(objectAt(rest, "spec"), "containers");
  return Array.isArray(containers) ? withSpec(rest, "containers", containers.toSpliced(at.index, 1)) : rest;
}

/** The pod's pull secrets united with the policy's; ones that an earlier call added and nobody wants now go. */
function pullSecrets(pod: JsonObject, { facts }: Context, wanted: readonly string[]) {
  const there = objectsAt(objectAt(pod, "spec"), "imagePullSecrets");
  const earlier = new Set(textsAt(facts.status.wrote, "imagePullSecrets"));
  const asked = new Set(wanted);
  const known = new Set(there.map(({ name }) => name));
  const missing = wanted.filter((name) => !known.has(name));
  const kept = there.filter(({ name }) => !earlier.has(String(name)) || asked.has(String(name)));
  const list = [...kept, ...missing.map((name) => ({ name }))];
  return {
    added: [...new Set([...[...earlier].filter((name) => asked.has(name)), ...missing])],
    pod: sameJson(there, list) ? pod : withSpec(pod, "imagePullSecrets", list.length === 0 ? undefined : list),
  };
}
