/**
 * The real components of a gateway, and the reason to skip where one cannot be had.
 */
import { type Application, startApplication } from "../../../src/probe/application/application.ts";
import { envoy } from "../install/envoy.ts";
import { ISTIO, pilotAgent } from "../install/pilot-agent.ts";

/** Upstream's Envoy. */
const ENVOY = "1.40.0";

const parts = { agent: pilotAgent(ISTIO), envoy: envoy(ENVOY) };

/** Why the tests are skipped; false: they run. */
export const skip: string | false = parts.agent.missing ?? parts.envoy.missing ?? false;

/** The executables; empty where something is missing. */
export const executables: { readonly agent: string; readonly envoy: string } = {
  agent: parts.agent.missing === undefined ? parts.agent.path : "",
  envoy: parts.envoy.missing === undefined ? parts.envoy.path : "",
};

/** Starts the application behind a gateway: /sleep, /stream, /ws and a TCP echo. */
export async function upstream(): Promise<Application & { readonly tcpPort: number }> {
  const application = await startApplication({
    host: "127.0.0.1",
    port: 0,
    tcpPort: 0,
    name: "app",
    http2: false,
    tls: undefined,
  });
  return application as Application & { readonly tcpPort: number };
}
