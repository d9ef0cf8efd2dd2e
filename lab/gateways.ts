/**
 * The gateways of one mode as objects: two Deployments of one replica each, as Istio's gateway chart makes them, with a
 * NodePort each. Two of them stand for the runbook's two nodes.
 */
import type { JsonObject } from "../src/pod/json.ts";
import { type Mode, modes, policyOf } from "./modes.ts";

/** The two gateways. */
export const gateways = ["a", "b"] as const;

/** One of them. */
export type GatewayName = (typeof gateways)[number];

/** The port of hc, and of Istio's readiness. */
const HC_PORT = 18180;
const READY_PORT = 15021;

/** The namespace of a mode's gateways. */
export function namespaceOf(mode: Mode): string {
  return `edge-${mode.name}`;
}

/** NodePorts of a gateway: traffic, and what HAProxy checks. */
export function nodePortsOf(mode: Mode, gateway: GatewayName): { readonly data: number; readonly check: number } {
  const data = 30_100 + modes.indexOf(mode) * 10 + gateways.indexOf(gateway) * 2;
  return { data, check: data + 1 };
}

/** Everything that is applied for a mode. */
export function gatewayObjects(mode: Mode, drainTimeout: number, hostAliases: JsonObject): readonly JsonObject[] {
  const namespace = namespaceOf(mode);
  const labels = mode.optedIn ? { "gracegate.dev/injection": "enabled" } : {};
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } },
    policyObject(mode, drainTimeout),
    ...gateways.flatMap((gateway) => [deployment(mode, gateway, hostAliases), service(mode, gateway)]),
  ].filter((one) => one !== undefined);
}

/** The policy of a mode; a namespace that is not opted in has none. */
export function policyObject(mode: Mode, drainTimeout: number): JsonObject | undefined {
  if (!mode.optedIn) return undefined;
  return {
    apiVersion: "gracegate.dev/v1alpha1",
    kind: "GracePolicy",
    metadata: { name: "default", namespace: namespaceOf(mode) },
    spec: policyOf(mode, drainTimeout),
  };
}

function deployment(mode: Mode, gateway: GatewayName, hostAliases: JsonObject): JsonObject {
  const selector = { gateway };
  const labels = { ...selector, mode: mode.name, istio: "gateway", "sidecar.istio.io/inject": "true" };
  const onePerNode = { labelSelector: { matchLabels: selector }, topologyKey: "kubernetes.io/hostname" };
  const apart = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [onePerNode] } };
  const [maxSurge, maxUnavailable] = mode.replacementBeside ? [1, 0] : [0, 1];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `gateway-${gateway}`, namespace: namespaceOf(mode) },
    spec: {
      replicas: 1,
      strategy: { rollingUpdate: { maxSurge, maxUnavailable } },
      minReadySeconds: mode.minReadySeconds,
      selector: { matchLabels: selector },
      template: {
        metadata: { labels, annotations: { "inject.istio.io/templates": "gateway" } },
        spec: {
          hostAliases: [hostAliases],
          ...(mode.replacementBeside ? {} : { affinity: apart }),
          securityContext: { sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }] },
          containers: [
            {
              name: "istio-proxy",
              image: "auto",
              imagePullPolicy: "Never",
              securityContext: {
                capabilities: { drop: ["ALL"] },
                allowPrivilegeEscalation: false,
                privileged: false,
                readOnlyRootFilesystem: true,
                runAsNonRoot: true,
              },
            },
          ],
        },
      },
    },
  };
}

function service(mode: Mode, gateway: GatewayName): JsonObject {
  const { data, check } = nodePortsOf(mode, gateway);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `gateway-${gateway}`, namespace: namespaceOf(mode) },
    spec: {
      type: "NodePort",
      externalTrafficPolicy: "Local",
      selector: { gateway },
      ports: [
        { name: "http", port: 8080, nodePort: data },
        { name: "check", port: mode.check === "hc" ? HC_PORT : READY_PORT, nodePort: check },
      ],
    },
  };
}
