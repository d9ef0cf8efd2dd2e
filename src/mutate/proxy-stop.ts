/**
 * What holds istio-proxy's SIGTERM back: decided before the budget, which depends on it.
 */
import type { ProxyStop } from "../budget/budget.ts";
import { type Notice, notice } from "../codes/registry.ts";
import type { Facts } from "../pod/facts.ts";
import { isOurs } from "../pod/status.ts";
import type { SidecarSettings } from "../policy/settings.ts";
import { seconds } from "../units/milliseconds.ts";
import type { HcPlan } from "./hc-plan.ts";

/** A hook, and what was noticed while deciding about it. */
interface Stop {
  readonly proxyStop: ProxyStop;
  readonly notices: readonly Notice[];
}

/** What holds a gateway's SIGTERM back, and why it is not what the setting says. */
export function gatewayStop(facts: Facts, wanted: "Hold" | "Sleep" | "Sigterm" | "None", hc: HcPlan): Stop {
  if (facts.proxy?.native && facts.isRendered) return { proxyStop: { kind: "None" }, notices: [] };
  const own = ownStop(facts);
  if (own !== undefined) return { proxyStop: own, notices: [] };
  if (wanted === "Hold") return { proxyStop: { kind: hc.kind === "ours" ? "Hold" : "Sleep" }, notices: [] };
  return withoutKill(facts, wanted);
}

/** What holds a sidecar's SIGTERM back, and why it is not what the setting says. */
export function sidecarStop(facts: Facts, settings: SidecarSettings): Stop {
  if (facts.proxy?.native && facts.isRendered) return { proxyStop: { kind: "None" }, notices: [] };
  const own = ownStop(facts);
  if (own !== undefined) return { proxyStop: own, notices: [] };
  // Istio moves such a hook to the agent's port 15020, which closes at SIGTERM: the proxy has to wait for it.
  const hasHttpHook = facts.applications.some(
    ({ preStop }) => preStop?.handler === "httpGet" || preStop?.handler === "tcpSocket",
  );
  return withoutKill(facts, settings.proxyStop?.value ?? (hasHttpHook ? "Sleep" : "Sigterm"));
}

/** The user's own hook. */
export function ownStop({ proxy, status }: Facts): ProxyStop | undefined {
  const there = proxy?.preStop;
  if (there === undefined || isOurs(status, "istio-proxy/preStop", there.hook)) return undefined;
  return { kind: "own", length: there.seconds === undefined ? undefined : seconds(there.seconds) };
}

function withoutKill(facts: Facts, wanted: "Sleep" | "Sigterm" | "None"): Stop {
  if (wanted !== "Sigterm") return { proxyStop: { kind: wanted }, notices: [] };
  const reason = facts.proxy?.distroless
    ? "its image is distroless and has no kill"
    : facts.shareProcessNamespace
      ? "with shareProcessNamespace PID 1 is the pod's pause process"
      : undefined;
  if (reason === undefined) return { proxyStop: { kind: "Sigterm" }, notices: [] };
  return { proxyStop: { kind: "None" }, notices: [notice("GG404", { reason })] };
}
