/**
 * Ports of the proxy that a pod's annotations move: Envoy's admin port and the agent's status port.
 */
import { STATUS_PORT } from "./annotations.ts";
import { type JsonObject, textAt } from "./json.ts";
import type { ConfigValue, ProxyConfig } from "./proxy-config.ts";

/** Ports that are not the usual ones; undefined where nothing moves them. */
export interface MovedPorts {
  readonly admin: number | undefined;
  readonly agent: number | undefined;
}

/** Reads the ports that annotations move. */
export function movedPorts(annotations: JsonObject, config: ProxyConfig | undefined): MovedPorts {
  return {
    admin: portIn(config?.get(["proxyAdminPort"])),
    agent: portIn(textAt(annotations, STATUS_PORT)) ?? portIn(config?.get(["statusPort"])),
  };
}

function portIn(value: ConfigValue | undefined): number | undefined {
  const port = typeof value === "string" && /^[1-9][0-9]{0,4}$/.test(value) ? Number(value) : undefined;
  return port !== undefined && port <= 65_535 ? port : undefined;
}
