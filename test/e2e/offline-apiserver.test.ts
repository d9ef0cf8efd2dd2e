/**
 * What `inject` writes is taken by a real API server, with strict field validation: the manifests of Istio's injector,
 * Istio's charts as helm renders them, this project's golden pods and examples, and the folder that GRACEGATE_MANIFESTS names.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parseManifest } from "../../src/manifests/document.ts";
import { type InjectOptions, injectDocument } from "../../src/manifests/inject.ts";
import { chunksOf } from "../../src/manifests/stream.ts";
import { workloadsOf } from "../../src/manifests/workload.ts";
import type { JsonObject } from "../../src/pod/json.ts";
import { snapshotOf } from "../../src/policy/snapshot.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { etcd, istioCharts, kubernetes } from "./install/components.ts";
import { ISTIO } from "./install/pilot-agent.ts";

const apiserver = kubernetes("kube-apiserver", "1.35.4");
const store = etcd();
const charts = istioCharts(ISTIO);
const missing = apiserver.missing ?? store.missing ?? charts.missing;

const options: InjectOptions = {
  snapshot: snapshotOf([], "gracegate"),
  hcImage: "registry.example/gracegate:test",
  gatewayTemplates: ["gateway"],
  namespace: "default",
  role: undefined,
};

const plurals: Readonly<Record<string, string>> = {
  Pod: "pods",
  ReplicationController: "replicationcontrollers",
  Deployment: "deployments",
  StatefulSet: "statefulsets",
  DaemonSet: "daemonsets",
  ReplicaSet: "replicasets",
  Job: "jobs",
  CronJob: "cronjobs",
};

const folders = [
  "../shared/istio",
  "test/golden/pods",
  "examples",
  charts.path,
  process.env.GRACEGATE_MANIFESTS ?? "",
].filter((folder) => folder !== "" && existsSync(folder));
const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => join(folder, name)),
);

describe("what inject writes", { skip: missing ?? false }, () => {
  let api: ApiServer;
  let sent = 0;
  before(async () => {
    api = await startApiServer({ apiserver: apiserver.path, etcd: store.path });
  });
  after(async () => {
    await api?.stop();
    process.stderr.write(`${sent} injected workloads were taken by the API server\n`);
  });

  for (const file of files) {
    it(`${file} is taken, and a second run changes nothing`, async () => {
      for (const chunk of chunksOf(readFileSync(file, "utf8"))) {
        const injected = injectDocument(chunk, options);
        assert.equal(injectDocument({ text: injected.text, line: 1 }, options).text, injected.text);
        const [original, changed] = [parseManifest(chunk), parseManifest({ text: injected.text, line: 1 })];
        if (!original.ok || !changed.ok) continue;
        const originals = workloadsOf(original.value);
        for (const [index, workload] of workloadsOf(changed.value).entries()) {
          // A golden pod or a chart may be refused for reasons of its own.
          const asItWas = await dryRun(originals[index]?.object ?? {});
          if (asItWas.status >= 400) continue;
          const answer = await dryRun(workload.object);
          assert.equal(answer.status, 201, `${workload.kind} ${workload.name}: ${JSON.stringify(answer.body.message)}`);
          sent++;
        }
      }
    });
  }

  async function dryRun(object: JsonObject) {
    const version = String(object.apiVersion);
    const root = version === "v1" ? "/api/v1" : `/apis/${version}`;
    const metadata = { ...(object.metadata as JsonObject), namespace: "default" };
    const path = `${root}/namespaces/default/${plurals[String(object.kind)]}?dryRun=All&fieldValidation=Strict`;
    return api.call("POST", path, { ...object, metadata });
  }
});
