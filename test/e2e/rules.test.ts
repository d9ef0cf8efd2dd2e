/**
 * The alerts, as promtool checks and tests them, and the monitoring objects of the chart, as an API server with the
 * Prometheus operator's CRDs takes them.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parse } from "yaml";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { eventually, type Folder, makeFolder } from "../integration/webhook-process.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { NAMESPACE, render } from "./chart.ts";
import { etcd, helm, kubectl, kubernetes } from "./install/components.ts";
import { operatorCrds, promtool } from "./install/monitoring.ts";

const VERSION = "1.35.4";
const RULES = "charts/gracegate/files/rules";

const tool = promtool();

/** Values with everything that watches. */
const WATCHED = {
  metrics: {
    serviceMonitor: { enabled: true },
    podMonitor: { enabled: true },
    prometheusRule: { enabled: true, haproxy: true, runbookUrl: "https://wiki.example/runbook" },
    dashboard: { enabled: true },
  },
};

describe("the alerts", { skip: tool.missing ?? false }, () => {
  for (const name of readdirSync(RULES)) {
    it(`${name} passes promtool check and its unit tests`, () => {
      promtoolDoes("check", "rules", join(RULES, name));
      promtoolDoes("test", "rules", join("test/rules", name));
    });
  }
});

describe("the monitoring objects and an API server that knows them", {
  skip:
    [kubernetes("kube-apiserver", VERSION), etcd(), helm(), kubectl(VERSION), operatorCrds()].find(
      ({ missing }) => missing !== undefined,
    )?.missing ?? false,
}, () => {
  let api: ApiServer;
  let folder: Folder;

  before(async () => {
    folder = await makeFolder();
    api = await startApiServer({ apiserver: kubernetes("kube-apiserver", VERSION).path, etcd: etcd().path });
    await api.call("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
    for (const file of globSync(`${operatorCrds().path}/*_{prometheusrules,servicemonitors,podmonitors}.yaml`)) {
      const crd = parse(readFileSync(file, "utf8")) as JsonObject;
      const answer = await api.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
    }
    const served = "/apis/monitoring.coreos.com/v1";
    await eventually(async () => {
      const names = objectsAt((await api.call("GET", served)).body, "resources").map((one) => textAt(one, "name"));
      return ["prometheusrules", "servicemonitors", "podmonitors"].every((name) => names.includes(name));
    }, 30_000);
  });

  after(async () => {
    await api?.stop();
    folder?.remove();
  });

  it("kubectl apply --dry-run=server takes each, and warns of no unknown field", () => {
    const watching = ["ServiceMonitor", "PodMonitor", "PrometheusRule", "ConfigMap"];
    const objects = render(helm().path, WATCHED).objects.filter(({ kind }) => watching.includes(String(kind)));
    assert.deepEqual(objects.map(({ kind }) => String(kind)).sort(), watching.sort());
    for (const object of objects) {
      const { status, stdout, stderr } = dryRun(object);
      assert.equal(status, 0, stderr);
      assert.match(stdout, /server dry run/);
      assert.equal(stderr, "");
    }
  });

  it("it would have refused a field that there is not, and an expression that is none of its type", () => {
    const rule = render(helm().path, WATCHED).objects.find(({ kind }) => kind === "PrometheusRule") ?? {};
    const groups = objectsAt(objectAt(rule, "spec"), "groups");
    assert.notEqual(dryRun({ ...rule, spec: { groups, group: [] } }).status, 0);
    assert.notEqual(dryRun({ ...rule, spec: { groups: [{ ...groups[0], rules: [{ expr: true }] }] } }).status, 0);
  });

  function dryRun(object: JsonObject) {
    const flags = ["--server-side", "--dry-run=server", "--validate=strict", "--filename", "-"];
    return spawnSync(kubectl(VERSION).path, ["--kubeconfig", api.kubeconfig(), "apply", ...flags], {
      input: JSON.stringify(object),
      encoding: "utf8",
    });
  }

  it("promtool takes the rules as helm writes them, with links to the runbook", { skip: tool.missing ?? false }, () => {
    const rule = render(helm().path, WATCHED).objects.find(({ kind }) => kind === "PrometheusRule");
    const groups = objectsAt(objectAt(rule, "spec"), "groups");
    assert.equal(groups.length, readdirSync(RULES).length);
    promtoolDoes("check", "rules", folder.file("rules.yaml", JSON.stringify({ groups })));
    for (const one of groups.flatMap((group) => objectsAt(group, "rules"))) {
      const url = textAt(objectAt(one, "annotations"), "runbook_url");
      assert.equal(url, `https://wiki.example/runbook#${textAt(one, "alert")?.toLowerCase()}`);
    }
  });
});

function promtoolDoes(...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(tool.path, args, { encoding: "utf8" });
  assert.equal(status, 0, `${stdout}${stderr}`);
}
