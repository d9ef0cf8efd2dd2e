/**
 * Mutation 4: the preStop hook of a rendered istio-proxy; its postStart is kept.
 *
 * The kubelet starts the hooks of all containers at the same instant and puts no timeout of its own on an httpGet hook,
 * whose status it ignores. So a request that hc answers when it is CLOSED keeps the proxy serving for exactly as long as
 * the drain takes (Hold). A native sidecar is never touched: Istio's hook drains it, and a second handler would make the
 * API server refuse the pod. A user's own hook always stays.
 */
import { type Notice, notice } from "../codes/registry.ts";
import type { JsonObject } from "../pod/json.ts";
import { isOurs } from "../pod/status.ts";
import { inSeconds, wholeSeconds } from "../units/milliseconds.ts";
import { type Context, type Mutation, unchanged } from "./context.ts";
import { containerNamed, withContainer, withPreStop } from "./edit.ts";
import { hookHeaders } from "./hook-token.ts";
import { settingOf, type Why, type Whys } from "./why.ts";

/** Mutation 4. */
export const proxyLifecycle: Mutation = {
  name: "proxy-lifecycle",
  apply(pod, context) {
    const { proxy, isRendered, status } = context.facts;
    if (proxy === undefined || !isRendered || proxy.native) return unchanged(pod);
    const there = proxy.preStop;
    const ours = isOurs(status, "istio-proxy/preStop", there?.hook);
    if (there !== undefined && !ours) return { pod, wrote: {}, notices: keptHook(context) };
    const hook = hookFor(pod, context);
    const wrote: Record<string, JsonObject> = hook === undefined ? {} : { "istio-proxy/preStop": hook };
    const whys = (): Whys => [[`/spec/${proxy.list}/istio-proxy/lifecycle`, whyOf(context)]];
    if (isOurs(status, "istio-proxy/preStop", hook) && ours) return { pod, wrote, whys };
    if (hook === undefined && there === undefined) return { ...unchanged(pod), whys };
    const at = containerNamed(pod, proxy.list, "istio-proxy");
    if (at === undefined) return unchanged(pod);
    return { pod: withContainer(pod, proxy.list, at.index, withPreStop(at.container, hook)), wrote, whys };
  },
};

/** The hook for a pod; undefined for none. */
function hookFor(pod: JsonObject, { proxyStop, budget, facts, role }: Context): JsonObject | undefined {
  // The API server takes no sleep of 0 s before Kubernetes 1.34, and none is needed to do nothing.
  const seconds = inSeconds(wholeSeconds(budget.hook.value));
  const sleep = seconds > 0 ? { sleep: { seconds } } : undefined;
  switch (proxyStop.kind) {
    case "Hold": {
      // Without hc beside it the hook would fail at once.
      if (role.kind !== "gateway" || containerNamed(pod, "containers", "hc") === undefined) return sleep;
      const where = { path: "/drained", port: role.settings.hc.port, scheme: "HTTP" };
      const httpGet = { ...where, ...hookHeaders(role.hookToken) };
      // The kubelet finds no pod address on the host network, and the hook would fail.
      return { httpGet: facts.hostNetwork ? { ...httpGet, host: "127.0.0.1" } : httpGet };
    }
    case "Sleep":
      return sleep;
    case "Sigterm":
      return { exec: { command: ["kill", "-SIGTERM", "1"] } };
    default:
      return undefined;
  }
}

/** What the hook is for, and the setting that asks for it. */
function whyOf({ proxyStop: { kind }, budget, role }: Context): Why {
  const { origin } = role.settings.proxyStop ?? { origin: "built-in" };
  const setting = settingOf("proxyStop", { value: kind, origin });
  switch (kind) {
    case "Hold":
      return { tag: "held until CLOSED", setting };
    case "Sleep":
      return { tag: "sleeps", time: budget.hook.value, setting };
    case "Sigterm":
      return { tag: "with the application", setting };
    default:
      return { tag: "setting", setting };
  }
}

function keptHook({ facts, role, budget }: Context): readonly Notice[] {
  const preStop = facts.proxy?.preStop;
  if (preStop === undefined) return [];
  const wanted =
    role.kind === "gateway" ? role.settings.proxyStop.value : (role.settings.proxyStop?.value ?? "Sigterm");
  return [notice("GG401", { hook: preStop.handler, seconds: inSeconds(budget.hook.value), wanted })];
}
