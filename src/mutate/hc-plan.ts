/**
 * Whether hc can be in a gateway pod: decided before the budget, since the proxy's hook depends on it.
 */
import { named } from "../codes/quoted.ts";
import { type Notice, notice } from "../codes/registry.ts";
import type { Facts } from "../pod/facts.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../pod/json.ts";
import { isOurs } from "../pod/status.ts";
import type { HcSettings } from "../policy/settings.ts";

/** What becomes of hc. */
export type HcPlan =
  /** Added, or brought up to date where it is already there. */
  | { readonly kind: "ours"; readonly image: string; readonly there: JsonObject | undefined }
  /** The pod has a container of that name and another image: it is kept. */
  | { readonly kind: "users"; readonly container: JsonObject; readonly notice: Notice }
  /** Left out; the notice says why, unless it was asked for. */
  | { readonly kind: "none"; readonly notice: Notice | undefined };

/** Ports of istio-proxy: admin, outbound, debug, inbound, HBONE, agent, health, DNS, Prometheus. */
const PROXY_PORTS: readonly number[] = [15000, 15001, 15004, 15006, 15008, 15020, 15021, 15053, 15090];

/**
 * Decides about hc.
 *
 * @param moved ports that annotations give to the proxy instead of its usual ones
 */
export function planHc(
  pod: JsonObject,
  facts: Facts,
  settings: HcSettings,
  image: string,
  moved: readonly number[],
): HcPlan {
  const hc = facts.hc;
  if (hc?.inInitContainers) return impossible("an init container is named hc", "rename it");
  if (hc !== undefined && !isOurHc(hc.container, facts, image)) {
    const theirs = textAt(hc.container, "image") ?? "";
    return { kind: "users", container: hc.container, notice: notice("GG402", { image: theirs }) };
  }
  if (!settings.enabled) return { kind: "none", notice: undefined };
  const conflict = portConflict(pod, settings, [...PROXY_PORTS, ...moved]);
  if (conflict !== undefined) return impossible(conflict, "set gateway.hc.port or gracegate.dev/hc-port");
  return { kind: "ours", image, there: hc?.container };
}

/** Whether a container hc came from here: noted in the status, or of the policy's image. */
export function isOurHc(container: JsonObject, facts: Facts, image: string): boolean {
  const own = textAt(container, "image");
  return own === image || isOurs(facts.status, "hc", own);
}

function impossible(reason: string, remedy: string): HcPlan {
  return { kind: "none", notice: notice("GG403", { reason, remedy }) };
}

function portConflict(pod: JsonObject, settings: HcSettings, proxyPorts: readonly number[]): string | undefined {
  const ports = [settings.port, settings.controlPort, settings.metricsPort];
  if (new Set(ports).size < ports.length) return `its ports ${ports.join(", ")} are not three different ones`;
  const proxys = ports.find((port) => proxyPorts.includes(port));
  if (proxys !== undefined) return `port ${proxys} is istio-proxy's own`;
  const spec = objectAt(pod, "spec");
  const others = [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")].filter(
    (container) => container.name !== "hc",
  );
  for (const container of others) {
    const taken = objectsAt(container, "ports").find(({ containerPort }) => ports.includes(containerPort as number));
    if (taken !== undefined) {
      return `container ${named(textAt(container, "name") ?? "")} declares port ${taken.containerPort}`;
    }
  }
  return undefined;
}
