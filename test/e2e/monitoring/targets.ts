/**
 * What is scraped, with the labels that the Prometheus operator would give it.
 */
import { readFileSync } from "node:fs";
import type { GatewayPorts } from "../hc/gateway.ts";
import type { Target } from "./prometheus.ts";

/** hc, and both ports on which Istio shows Envoy's metrics: the raw one, and the one that the agent merges. */
export function gatewayTargets(namespace: string, pod: string, ports: GatewayPorts): readonly Target[] {
  const labels = { namespace, pod };
  return [
    { job: "hc", address: local(ports.metrics), labels },
    { job: "istio-raw", address: local(ports.prometheus), path: "/stats/prometheus", labels },
    { job: "istio-merged", address: local(ports.agent), path: "/stats/prometheus", labels },
  ];
}

/** The API server of a kubeconfig that logs in with a token. */
export function apiServerTarget(kubeconfig: string): Target {
  const config = JSON.parse(readFileSync(kubeconfig, "utf8")) as {
    clusters: [{ cluster: { server: string; "certificate-authority": string } }];
    users: [{ user: { token: string } }];
  };
  const [{ cluster }] = config.clusters;
  return {
    job: "apiserver",
    address: new URL(cluster.server).host,
    secure: { token: config.users[0].user.token, ca: cluster["certificate-authority"] },
  };
}

/** An address of this machine. */
export function local(port: number): string {
  return `127.0.0.1:${port}`;
}
