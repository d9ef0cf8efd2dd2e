/**
 * A real kube-state-metrics, started as docs/runbook.md says: with the label and the annotation that tell of injection.
 */
import { spawn } from "node:child_process";
import { freePort, until } from "../../integration/hc-process.ts";

/** The flags beyond the default: what GracegateInjectionMissed joins on. */
export const ALLOW_LISTS = [
  "--metric-labels-allowlist=namespaces=[gracegate.dev/injection],pods=[gracegate.dev/inject,gateway.istio.io/managed]",
  "--metric-annotations-allowlist=pods=[gracegate.dev/status,gracegate.dev/inject,gracegate.dev/role,gracegate.dev/mode,inject.istio.io/templates]",
] as const;

/** A running one. */
export interface KubeStateMetrics {
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts it for an API server. */
export async function startKubeStateMetrics(binary: string, kubeconfig: string): Promise<KubeStateMetrics> {
  const [port, telemetry] = [await freePort(), await freePort()];
  const own = ["--host=127.0.0.1", `--port=${port}`, "--telemetry-host=127.0.0.1", `--telemetry-port=${telemetry}`];
  const child = spawn(binary, [`--kubeconfig=${kubeconfig}`, ...own, ...ALLOW_LISTS], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const exited = new Promise((done) => child.once("exit", done));
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  const address = `127.0.0.1:${port}`;
  try {
    const hasPods = async () =>
      (
        await fetch(`http://${address}/metrics`).then(
          (answer) => answer.text(),
          () => "",
        )
      ).includes("kube_namespace_created");
    await until("kube-state-metrics answers", hasPods, () => log.slice(-2000));
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, stop };
}
