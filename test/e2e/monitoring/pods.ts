/**
 * Pods as objects of an API server without a kubelet: a node's name lets their deletion wait, and what the kubelet would
 * report is written here.
 */
import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/pod/json.ts";
import type { ApiServer } from "../api-server.ts";

/** A namespace. */
export function namespaceOf(name: string, labels: JsonObject): JsonObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

/** A pod with one container. */
export function podOf(
  namespace: string,
  name: string,
  container: JsonObject,
  annotations: JsonObject = {},
): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, annotations },
    spec: { nodeName: "node1", containers: [container] },
  };
}

/** An application. */
export const APPLICATION: JsonObject = { name: "app", image: "registry.example/app:1" };

/** A rendered gateway proxy. */
export const PROXY: JsonObject = {
  name: "istio-proxy",
  image: "registry.example/istio/proxyv2:1.31.0",
  args: ["proxy", "router"],
};

/** Says that a gateway's pod runs. */
export async function reportRunning(api: ApiServer, namespace: string, name: string): Promise<void> {
  const containers = ["istio-proxy", "hc"].map((container) => ({
    name: container,
    image: "registry.example/any:1",
    imageID: "",
    ready: true,
    restartCount: 0,
    state: { running: { startedAt: new Date().toISOString() } },
  }));
  const status = { phase: "Running", containerStatuses: containers };
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
  const answer = await api.call("PATCH", path, { status }, "application/merge-patch+json");
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}
