/**
 * Worlds in which policies are objects of an API server.
 */
import { type ClusterApi, clusterApi } from "../../src/kube/api.ts";
import { clusterMeshConfig } from "../../src/kube/cluster-mesh-config.ts";
import { clusterPolicies } from "../../src/kube/cluster-policies.ts";
import { type WatchTimes, watchTimes } from "../../src/kube/watched-list.ts";
import type { JsonObject } from "../../src/pod/json.ts";
import { policyObject } from "../../src/policy/validate.ts";
import type { FakeApiServer } from "./fake-api-server.ts";
import type { PolicyWorld } from "./source-suite.ts";

/** Times that make a test quick. */
export const quickTimes: WatchTimes = { ...watchTimes, collect: 5, retry: [20, 100] };

/** A connection to the API server of a kubeconfig. */
export function apiOf(kubeconfig: string): ClusterApi {
  const before = process.env.KUBECONFIG;
  process.env.KUBECONFIG = kubeconfig;
  const api = clusterApi();
  if (before === undefined) delete process.env.KUBECONFIG;
  else process.env.KUBECONFIG = before;
  return api;
}

/** The ConfigMap that holds a mesh config. */
export function meshConfigMap(yaml: string): JsonObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "istio", namespace: "istio-system" },
    data: { mesh: yaml },
  };
}

/** The world of a stand-in. */
export function fakeWorld(fake: FakeApiServer): PolicyWorld {
  const api = apiOf(fake.kubeconfig);
  return {
    put: async (namespace, name, spec) => void fake.put(policyObject(name, namespace, spec)),
    remove: async (namespace, name) => fake.remove("GracePolicy", namespace, name),
    putMesh: async (yaml) => void fake.put(meshConfigMap(yaml)),
    policies: async (events) =>
      clusterPolicies(api, events, { rootNamespace: "gracegate-system", onSkipped: () => {} }, quickTimes),
    meshConfig: async (events) =>
      clusterMeshConfig(api, { namespace: "istio-system", name: "istio" }, events, quickTimes),
    close: () => fake.close(),
  };
}
