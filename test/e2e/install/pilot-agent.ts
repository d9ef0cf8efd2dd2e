/**
 * Istio's pilot-agent, built from its Go module, and the bootstrap template for Envoy that belongs to it.
 */
import { join } from "node:path";
import { type Component, cacheFolder, had, run } from "./components.ts";

/** The version of the Go module istio.io/istio: Istio 1.31. */
export const ISTIO = "v0.0.0-20260827124520-eed52ebb66ad";

/** Builds the agent of a module version; `envoy_bootstrap.json` lies beside it. */
export function pilotAgent(version: string): Component {
  return had("pilot-agent", () => {
    const folder = join(cacheFolder, `pilot-agent-${version}`);
    run("bash", [join(import.meta.dirname, "pilot-agent.sh"), version, folder]);
    return join(folder, "pilot-agent");
  });
}
