import { formatDuration } from "../../units/milliseconds.ts";
import { documents, gateway } from "../example-manifests.ts";
import type { Inventory, Workload } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";
import { streamLimitOf } from "../stream-limit.ts";
import { streamRoutesOf } from "../stream-routes.ts";

const object = (...lines: readonly string[]) => `${lines.join("\n")}\n`;

const GATEWAY = object(
  "apiVersion: networking.istio.io/v1",
  "kind: Gateway",
  "metadata: { name: web, namespace: edge }",
  "spec: { selector: { app: edge }, servers: [] }",
);

const chat = (...route: readonly string[]) =>
  object(
    "apiVersion: networking.istio.io/v1",
    "kind: VirtualService",
    "metadata: { name: chat, namespace: edge }",
    "spec:",
    "  hosts: [chat.example.com]",
    "  gateways: [web]",
    "  http:",
    "    - route: [{ destination: { host: chat } }]",
    ...route.map((line) => `      ${line}`),
  );

const WEBSOCKETS = chat("match: [{ headers: { upgrade: { exact: websocket } } }]");

const filter = (context: string, seconds: number) =>
  object(
    "apiVersion: networking.istio.io/v1alpha3",
    "kind: EnvoyFilter",
    "metadata: { name: streams, namespace: edge }",
    "spec:",
    "  workloadSelector: { labels: { app: edge } }",
    "  configPatches:",
    "    - applyTo: NETWORK_FILTER",
    `      match: { context: ${context} }`,
    "      patch:",
    "        operation: MERGE",
    "        value:",
    "          typed_config:",
    `            common_http_protocol_options: { max_stream_duration: ${seconds}s }`,
  );

const SERVICE = object(
  "apiVersion: v1",
  "kind: Service",
  "metadata: { name: chat, namespace: edge }",
  "spec: { selector: { app: chat }, ports: [{ port: 80, appProtocol: kubernetes.io/ws }] }",
);

const httpRoute = (rule: string) =>
  object(
    "apiVersion: gateway.networking.k8s.io/v1",
    "kind: HTTPRoute",
    "metadata: { name: chat, namespace: edge }",
    "spec:",
    "  parentRefs: [{ name: web }]",
    `  rules: [{ ${rule} }]`,
  );

const MADE_BY_ISTIO = gateway().replace(
  "labels: { app: edge }\n      annotations",
  "labels: { app: edge, gateway.networking.k8s.io/gateway-name: web }\n      annotations",
);

/** A route of streams through a gateway that nothing ends. */
export const streamWithoutEnd: Rule = {
  id: "stream-without-end",
  severity: "warning",
  title: "A route is made for long streams, and no max_stream_duration ends them within the drain.",
  reason:
    "Istio's gateways end no WebSocket and no stream by themselves, so a drain waits for them until its timeout, and then they are cut in the middle. A route timeout does not count: it starts when the request has ended. (Only routes that say so are found: an upgrade to WebSocket, a backend with appProtocol kubernetes.io/ws, a timeout of 0.)",
  fix: "let Envoy end streams, at a moment that clients expect: connectionSettings.httpMaxStreamDuration in proxy.istio.io/config (Istio 1.31), or max_stream_duration by an EnvoyFilter, not longer than the drain timeout",
  examples: {
    bad: [
      documents(gateway(), GATEWAY, WEBSOCKETS),
      documents(gateway(), GATEWAY, chat("timeout: 0s")),
      documents(gateway(), GATEWAY, chat(), SERVICE),
      documents(gateway(), GATEWAY, WEBSOCKETS, filter("GATEWAY", 3600)),
      documents(gateway(), GATEWAY, WEBSOCKETS, filter("SIDECAR_INBOUND", 30)),
      documents(MADE_BY_ISTIO, httpRoute("timeouts: { request: 0s }, backendRefs: [{ name: chat, port: 80 }]")),
      documents(MADE_BY_ISTIO, httpRoute("backendRefs: [{ name: chat, port: 80 }]"), SERVICE),
    ],
    good: [
      documents(gateway(), GATEWAY, WEBSOCKETS, filter("GATEWAY", 30)),
      documents(
        gateway({ annotations: ["proxy.istio.io/config: |", "  connectionSettings: { httpMaxStreamDuration: 30s }"] }),
        GATEWAY,
        WEBSOCKETS,
      ),
      documents(gateway(), GATEWAY, chat("timeout: 30s")),
      documents(gateway(), GATEWAY, WEBSOCKETS.replace("gateways: [web]", "gateways: [mesh]")),
      documents(MADE_BY_ISTIO, httpRoute("timeouts: { request: 10s }, backendRefs: [{ name: chat, port: 80 }]")),
      WEBSOCKETS,
    ],
  },
  *check(inventory): Iterable<Finding> {
    for (const { item, at, sign, gateways } of streamRoutesOf(inventory)) {
      const reason = gateways.map((one) => endlessOn(inventory, one)).find((one) => one !== undefined);
      if (reason !== undefined) yield { item, at, message: `${sign}, and ${reason}.` };
    }
  },
};

/** Why streams of a gateway outlast its drain; undefined where they do not. */
function endlessOn(inventory: Inventory, one: Workload): string | undefined {
  const drain = one.context?.budget.drainTimeout.value;
  if (drain === undefined) return undefined;
  const limit = streamLimitOf(inventory, one);
  if (limit === undefined) return `no max_stream_duration ends its streams on ${one.kind} ${one.name}`;
  return limit.length > drain
    ? `${limit.by} lets streams last ${formatDuration(limit.length)}, where ${one.kind} ${one.name} waits ${formatDuration(drain)} for them`
    : undefined;
}
