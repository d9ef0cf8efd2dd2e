/**
 * Policies and mesh config from a real API server: what every source does, and what happens when that API server is
 * killed and started again.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { parse } from "yaml";
import { clusterMeshConfig } from "../../src/kube/cluster-mesh-config.ts";
import { clusterPolicies } from "../../src/kube/cluster-policies.ts";
import { type JsonObject, objectAt, objectsAt } from "../../src/pod/json.ts";
import type { Policy } from "../../src/policy/validate.ts";
import { policyObject } from "../../src/policy/validate.ts";
import type { Source } from "../../src/sources/source.ts";
import { apiOf, meshConfigMap, quickTimes } from "../integration/cluster-worlds.ts";
import { type PolicyWorld, sourceSuite } from "../integration/source-suite.ts";
import { eventually } from "../integration/webhook-process.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { etcd, kubernetes } from "./install/components.ts";

const VERSION = "1.35.4";

const apiserver = kubernetes("kube-apiserver", VERSION);
const etcdServer = etcd();
const skip = apiserver.missing ?? etcdServer.missing ?? false;

sourceSuite(`policies from kube-apiserver ${VERSION}`, realWorld, skip);

describe(`policies while kube-apiserver ${VERSION} is killed`, { skip }, () => {
  let api: ApiServer;
  let source: Source<readonly Policy[]>;
  let followed: Promise<void>;
  const unreachable: string[] = [];
  const stop = new AbortController();

  before(async () => {
    api = await startApiServer({ apiserver: apiserver.path, etcd: etcdServer.path });
    await prepare(api);
    await put(api, "shop", "default", { gateway: { drainTimeout: 36 } });
    const events = { changed: () => {}, refused: () => {}, unreachable: (reason: string) => unreachable.push(reason) };
    source = clusterPolicies(apiOf(api.kubeconfig()), events, {
      rootNamespace: "gracegate-system",
      onSkipped: () => {},
    });
    followed = source.follow(stop.signal);
  });

  after(async () => {
    stop.abort();
    await followed;
    await api?.stop();
  });

  it("stay in force, and follow again when it is back", { timeout: 120_000 }, async () => {
    await eventually(() => source.current()?.value.length === 1);
    await api.pause();
    await eventually(() => unreachable.length > 3, 60_000);
    assert.equal(source.current()?.value[0]?.spec.gateway?.drainTimeout, 36_000);
    await api.resume();
    await put(api, "shop", "default", { gateway: { drainTimeout: 50 } });
    await eventually(() => source.current()?.value[0]?.spec.gateway?.drainTimeout === 50_000, 60_000);
  });
});

async function realWorld(): Promise<PolicyWorld> {
  const api = await startApiServer({ apiserver: apiserver.path, etcd: etcdServer.path });
  await prepare(api);
  const connection = apiOf(api.kubeconfig());
  return {
    put: (namespace, name, spec) => put(api, namespace, name, spec),
    remove: async (namespace, name) => {
      await api.call("DELETE", pathOf(namespace, name));
    },
    putMesh: async (yaml) => {
      const path = "/api/v1/namespaces/istio-system/configmaps/istio?fieldManager=test&force=true";
      const answer = await api.call("PATCH", path, meshConfigMap(yaml));
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
    },
    policies: async (events) =>
      clusterPolicies(connection, events, { rootNamespace: "gracegate-system", onSkipped: () => {} }, quickTimes),
    meshConfig: async (events) =>
      clusterMeshConfig(connection, { namespace: "istio-system", name: "istio" }, events, quickTimes),
    close: () => api.stop(),
  };
}

/**
 * Namespaces, and a CRD without the rules: an object that this version's CRD would refuse may be older than it, or the CRD
 * may be older than the webhook.
 */
async function prepare(api: ApiServer): Promise<void> {
  for (const name of ["shop", "edge", "bad", "istio-system"]) {
    await api.call("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  const crd = parse(readFileSync("charts/gracegate/crds/gracepolicies.yaml", "utf8")) as JsonObject;
  const answer = await api.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", withoutRules(crd));
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  await eventually(async () => (await api.call("GET", "/apis/gracegate.dev/v1alpha1/gracepolicies")).status === 200);
}

function withoutRules(crd: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(crd, (key, value) => (key === "x-kubernetes-validations" ? undefined : value)));
}

function pathOf(namespace: string, name: string): string {
  return `/apis/gracegate.dev/v1alpha1/namespaces/${namespace}/gracepolicies/${name}`;
}

async function put(api: ApiServer, namespace: string, name: string, spec: JsonObject): Promise<void> {
  await eventually(async () => {
    const path = `${pathOf(namespace, name)}?fieldManager=test&force=true`;
    const answer = await api.call("PATCH", path, policyObject(name, namespace, spec));
    assert.notEqual(answer.status, 422, JSON.stringify(objectsAt(objectAt(answer.body, "details"), "causes")));
    return answer.status < 300;
  });
}
