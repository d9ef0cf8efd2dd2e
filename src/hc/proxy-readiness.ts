/**
 * One look at the readiness of the proxy.
 *
 * 15021 is a listener of Envoy that asks the agent. Its 200 proves that both live, so the other ports are only knocked
 * at without it: the agent's 15020 is refused and 15021 not ready within a millisecond of the agent's SIGTERM.
 */
import { ask, knock } from "./loopback.ts";
import type { PortAnswer, ReadinessLook } from "./view.ts";

/** The ports of the proxy. */
export interface ProxyPorts {
  readonly readyPort: number;
  readonly agentPort: number;
  readonly adminPort: number;
}

/**
 * Looks once.
 *
 * @param timeoutMs for each of the three answers
 */
export async function lookAtReadiness(
  ports: ProxyPorts,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ReadinessLook> {
  const reply = await ask("GET", ports.readyPort, "/healthz/ready", timeoutMs, signal);
  const ready = reply.failure === undefined ? (reply.status === 200 ? "yes" : "no") : without(reply.failure);
  if (ready === "yes") return { ready };
  const [agent, admin] = await Promise.all([
    knock(ports.agentPort, timeoutMs, signal),
    knock(ports.adminPort, timeoutMs, signal),
  ]);
  return { ready, agent, admin };
}

function without(failure: string): PortAnswer {
  return failure === "refused" ? "refused" : "silent";
}
