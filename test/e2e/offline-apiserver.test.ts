/**
 * What `inject` writes is taken by a real API server, with strict field validation, object by object and as text by
 * `kubectl apply --dry-run=server`: the manifests of Istio's injector, Istio's charts as helm renders them, this project's
 * golden pods and examples, and the folder that GRACEGATE_MANIFESTS names.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parseManifest } from "../../src/manifests/document.ts";
import { type InjectOptions, injectDocument } from "../../src/manifests/inject.ts";
import { chunksOf } from "../../src/manifests/stream.ts";
import { type Workload, workloadsOf } from "../../src/manifests/workload.ts";
import { type JsonObject, objectAt } from "../../src/pod/json.ts";
import { snapshotOf } from "../../src/policy/snapshot.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { etcd, istioCharts, kubectl, kubernetes } from "./install/components.ts";
import { ISTIO } from "./install/pilot-agent.ts";

const apiserver = kubernetes("kube-apiserver", "1.35.4");
const store = etcd();
const client = kubectl("1.35.4");
const charts = istioCharts(ISTIO);
const missing = apiserver.missing ?? store.missing ?? client.missing ?? charts.missing;

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
  let applied = 0;
  const namespaces = new Set(["default"]);
  before(async () => {
    api = await startApiServer({ apiserver: apiserver.path, etcd: store.path });
  });
  after(async () => {
    await api?.stop();
    process.stderr.write(`${sent} injected workloads were taken by the API server, ${applied} of them from kubectl\n`);
  });

  for (const file of files) {
    it(`${file} is taken, and a second run changes nothing`, async () => {
      const texts: string[] = [];
      const named: Workload[] = [];
      for (const chunk of chunksOf(readFileSync(file, "utf8"))) {
        const injected = injectDocument(chunk, options);
        assert.equal(injectDocument({ text: injected.text, line: 1 }, options).text, injected.text);
        const [original, changed] = [parseManifest(chunk), parseManifest({ text: injected.text, line: 1 })];
        if (!original.ok || !changed.ok) continue;
        const originals = workloadsOf(original.value);
        const workloads = workloadsOf(changed.value);
        let isTaken = workloads.length > 0;
        for (const [index, workload] of workloads.entries()) {
          // A golden pod or a chart may be refused for reasons of its own.
          const asItWas = await dryRun(originals[index]?.object ?? {});
          isTaken &&= asItWas.status < 400;
          if (asItWas.status >= 400) continue;
          const answer = await dryRun(workload.object);
          assert.equal(answer.status, 201, `${workload.kind} ${workload.name}: ${JSON.stringify(answer.body.message)}`);
          sent++;
        }
        // kubectl apply wants names, not generateName.
        if (!isTaken || workloads.some(({ object }) => objectAt(object, "metadata").name === undefined)) continue;
        texts.push(/^---(?:\s|$)/m.test(injected.text) ? injected.text : `---\n${injected.text}`);
        named.push(...workloads);
      }
      await apply(texts.map((text) => (text.endsWith("\n") ? text : `${text}\n`)).join(""), named);
    });
  }

  /** The text goes to kubectl as it came from inject. */
  async function apply(text: string, workloads: readonly Workload[]): Promise<void> {
    if (workloads.length === 0) return;
    for (const { namespace = "default" } of workloads) {
      if (namespaces.has(namespace)) continue;
      const made = await api.call("POST", "/api/v1/namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace },
      });
      assert.equal(made.status, 201);
      namespaces.add(namespace);
    }
    const args = ["--kubeconfig", api.kubeconfig(), "apply", "--dry-run=server", "--validate=strict", "-f", "-"];
    const { status, stdout, stderr } = spawnSync(client.path, args, { input: text, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const taken = stdout.trim().split("\n");
    assert.ok(
      taken.every((line) => line.endsWith(" created (server dry run)")),
      stdout,
    );
    for (const { kind, name } of workloads) {
      assert.ok(taken.some((line) => line.toLowerCase().startsWith(kind.toLowerCase()) && line.includes(`/${name} `)));
    }
    applied += workloads.length;
  }

  async function dryRun(object: JsonObject) {
    const version = String(object.apiVersion);
    const root = version === "v1" ? "/api/v1" : `/apis/${version}`;
    const metadata = { ...(object.metadata as JsonObject), namespace: "default" };
    const path = `${root}/namespaces/default/${plurals[String(object.kind)]}?dryRun=All&fieldValidation=Strict`;
    return api.call("POST", path, { ...object, metadata });
  }
});
