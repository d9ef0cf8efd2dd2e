/**
 * The chart: every value does something, the API server takes whatever comes out, and each permission is needed.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { chartValues } from "../../scripts/chart-values.ts";
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../src/pod/json.ts";
import { eventually, type Folder, makeFolder } from "../integration/webhook-process.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { CLUSTER_NAME, collectionOf, NAMESPACE, nested, render } from "./chart.ts";
import { etcd, helm, kubernetes } from "./install/components.ts";
import { ACCOUNT, install, SECRET, startReplica } from "./installed.ts";

const VERSION = "1.35.4";

const helmBinary = helm();
const apiserver = kubernetes("kube-apiserver", VERSION);
const etcdServer = etcd();
const skip = helmBinary.missing ?? apiserver.missing ?? etcdServer.missing ?? false;

/** Another value for each, and what else must be set for it to show. */
const others: Readonly<Record<string, readonly [unknown, JsonObject?]>> = {
  replicas: [3],
  "image.repository": ["registry.example/gracegate"],
  "image.tag": ["9.9.9"],
  "image.digest": [`sha256:${"a".repeat(64)}`],
  "image.pullPolicy": ["Always"],
  imagePullSecrets: [[{ name: "pull" }]],
  "hc.image": ["registry.example/hc:1"],
  "webhook.port": [9443],
  "webhook.failurePolicy": ["Fail"],
  "webhook.timeoutSeconds": [5],
  "webhook.excludedNamespaces": [["payments"]],
  "webhook.annotations": [{ "a.example/b": "c" }],
  "review.enabled": [false],
  "review.timeoutSeconds": [5],
  "certificates.source": ["cert-manager"],
  "certificates.secretName": ["other-tls"],
  "certificates.certificateDays": [30],
  "certificates.caDays": [365],
  "certificates.caBundle": ["eA==", { certificates: { source: "secret", secretName: "mounted" } }],
  "certificates.certManager.issuerRef": [
    { name: "ca", kind: "ClusterIssuer" },
    { certificates: { source: "cert-manager" } },
  ],
  "certificates.certManager.duration": ["100h", { certificates: { source: "cert-manager" } }],
  "certificates.certManager.renewBefore": ["10h", { certificates: { source: "cert-manager" } }],
  "defaultPolicy.enabled": [false],
  "defaultPolicy.spec": [{ gateway: { requestP99: "10s" } }],
  "meshConfig.enabled": [false],
  "meshConfig.namespace": ["mesh"],
  "meshConfig.configMap": ["istio-canary"],
  gatewayTemplates: [["gateway", "edge"]],
  gateways: [[{ namespace: NAMESPACE, selector: { app: "edge" }, nodePort: 30_180 }]],
  logLevel: ["debug"],
  shutdownDelay: ["10s"],
  terminationGracePeriodSeconds: [60],
  resources: [{ requests: { cpu: "1" } }],
  "podDisruptionBudget.enabled": [false],
  "podDisruptionBudget.maxUnavailable": ["50%"],
  topologySpreadConstraints: [
    [{ maxSkew: 2, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" }],
  ],
  affinity: [{ podAntiAffinity: {} }],
  nodeSelector: [{ "kubernetes.io/os": "linux" }],
  tolerations: [[{ operator: "Exists" }]],
  priorityClassName: ["system-cluster-critical"],
  podAnnotations: [{ a: "b" }],
  podLabels: [{ a: "b" }],
  extraEnv: [[{ name: "A", value: "b" }]],
  "serviceAccount.annotations": [{ a: "b" }],
  "serviceAccount.admissionPolicy": [false],
  "metrics.port": [9191],
  "metrics.serviceMonitor.enabled": [true],
  "metrics.serviceMonitor.interval": ["7s", { metrics: { serviceMonitor: { enabled: true } } }],
  "metrics.serviceMonitor.labels": [{ a: "b" }, { metrics: { serviceMonitor: { enabled: true } } }],
  "metrics.podMonitor.enabled": [true],
  "metrics.podMonitor.interval": ["7s", { metrics: { podMonitor: { enabled: true } } }],
  "metrics.podMonitor.labels": [{ a: "b" }, { metrics: { podMonitor: { enabled: true } } }],
  "metrics.prometheusRule.enabled": [true],
  "metrics.prometheusRule.labels": [{ a: "b" }, { metrics: { prometheusRule: { enabled: true } } }],
  "metrics.prometheusRule.haproxy": [true, { metrics: { prometheusRule: { enabled: true } } }],
  "metrics.prometheusRule.runbookUrl": [
    "https://wiki.example/runbook",
    { metrics: { prometheusRule: { enabled: true } } },
  ],
  "metrics.dashboard.enabled": [true],
  "metrics.dashboard.labels": [{ a: "b" }, { metrics: { dashboard: { enabled: true } } }],
  "networkPolicy.enabled": [true],
  "networkPolicy.from": [[{ ipBlock: { cidr: "10.0.0.0/8" } }], { networkPolicy: { enabled: true } }],
};

const wrong: readonly (readonly [string, JsonObject, RegExp])[] = [
  ["a value that is not known", { replica: 2 }, /replica/],
  ["a value of a group that is not known", { webhook: { prot: 1 } }, /prot/],
  ["a word that is none", { certificates: { source: "vault" } }, /certificates.source|\/certificates\/source/],
  ["a number that is none", { replicas: "two" }, /replicas/],
  ["a port that is none", { webhook: { port: 70_000 } }, /port/],
  ["an authority that would outlive its calendar", { certificates: { caDays: 36_501 } }, /caDays/],
  ["one port for two servers", { webhook: { port: 9090 } }, /metrics.port and webhook.port are both 9090/],
  ["a mounted Secret without a name", { certificates: { source: "secret" } }, /certificates.secretName is empty/],
  ["a mesh config without a name", { meshConfig: { configMap: "" } }, /meshConfig.configMap is empty/],
  ["a label of its own", { podLabels: { "app.kubernetes.io/name": "x" } }, /podLabels.app.kubernetes.io\/name is the/],
  ["a label that keeps the mesh out", { podLabels: { "istio.io/dataplane-mode": "x" } }, /podLabels.istio.io/],
  ["more delay than grace", { shutdownDelay: "28s" }, /shutdownDelay 28s and webhook.timeoutSeconds 3 do not fit/],
  ["a delay in minutes", { shutdownDelay: "1m", terminationGracePeriodSeconds: 62 }, /do not fit/],
  ["an image's tag that is none", { image: { tag: "a b" } }, /tag/],
  ["a Secret's name that is none", { certificates: { secretName: "A_B" } }, /secretName/],
  ["a port that no node gives", { gateways: [{ namespace: "edge", selector: { a: "b" }, nodePort: 80 }] }, /nodePort/],
  ["a Service's name that is none", { gateways: [{ namespace: "e", selector: { a: "b" }, name: "A_B" }] }, /name/],
  [
    "two gateways of one name",
    { gateways: [1, 2].map((one) => ({ namespace: "edge", selector: { a: "b" }, nodePort: 30_000 + one })) },
    /two entries for the Service edge\/gracegate-hc-/,
  ],
  ["a gateway without a selector", { gateways: [{ namespace: "edge" }] }, /selector/],
];

let api: ApiServer;
let folder: Folder;

describe("the chart", { skip }, () => {
  before(async () => {
    folder = await makeFolder();
    api = await startApiServer({ apiserver: apiserver.path, etcd: etcdServer.path }, [ACCOUNT]);
    await install(api, helmBinary.path);
  });

  after(async () => {
    await api?.stop();
    folder?.remove();
  });

  it("passes helm lint", () => {
    const { status, stdout } = spawnSync(helmBinary.path, ["lint", "--strict", "charts/gracegate"], {
      encoding: "utf8",
    });
    assert.equal(status, 0, stdout);
  });

  it("documents every value, and the test knows another one for each", () => {
    const values = chartValues();
    assert.deepEqual(
      values.filter(({ meaning }) => meaning === "").map(({ path }) => path),
      [],
    );
    assert.deepEqual(values.map(({ path }) => path).sort(), Object.keys(others).sort());
  });

  for (const [path, [value, more = {}]] of Object.entries(others)) {
    it(`${path} changes something, and the API server takes it all`, async () => {
      const before = render(helmBinary.path, more);
      const after = render(helmBinary.path, merged(more, nested(path, value)));
      assert.equal(after.status, 0, after.stderr);
      assert.notEqual(after.text, before.text);
      for (const object of after.objects) await dryRun(object);
    });
  }

  for (const [name, values, says] of wrong) {
    it(`refuses ${name}, and names it`, () => {
      const { status, stderr } = render(helmBinary.path, values);
      assert.notEqual(status, 0);
      assert.match(stderr, says);
    });
  }

  it("can be installed as a version with build metadata", async () => {
    const version = "0.1.0+g123";
    const args = ["package", "charts/gracegate", "-d", folder.path, "--version", version, "--app-version", version];
    assert.equal(spawnSync(helmBinary.path, args).status, 0);
    const { objects, text, stderr } = render(helmBinary.path, {}, [], `${folder.path}/gracegate-${version}.tgz`);
    assert.ok(objects.length > 0, stderr);
    assert.match(text, /image: "?gracegate:0.1.0_g123/);
    for (const object of objects) await dryRun(object);
  });

  it("takes a delay that just fits", () => {
    const fits = [{ shutdownDelay: "27s" }, { shutdownDelay: "27000ms" }, { shutdownDelay: "27" }];
    for (const values of [...fits, { shutdownDelay: "1m", terminationGracePeriodSeconds: 63 }]) {
      assert.equal(render(helmBinary.path, values).status, 0, JSON.stringify(values));
    }
  });

  it("gives the pod of helm test no label that the Service sends to", () => {
    const { objects } = render(helmBinary.path);
    const selector = objectAt(objectAt(one(objects, "Service"), "spec"), "selector");
    const labels = objectAt(objectAt(one(objects, "Pod"), "metadata"), "labels");
    assert.ok(Object.entries(selector).some(([key, value]) => labels[key] !== value));
  });

  it("keeps the Secrets of its sources apart", () => {
    const secretOf = (values: JsonObject) => {
      const { text } = render(helmBinary.path, { certificates: values });
      return /secretName: (\S+)|--tls-secret=[^/]+\/(\S+)/.exec(text)?.slice(1).join("");
    };
    const cert = secretOf({ source: "cert-manager" });
    const self = secretOf({ source: "self" });
    assert.ok(cert && self);
    assert.notEqual(cert, self);
  });

  it("names its configurations so that they come before Istio's, whatever the release is called", () => {
    for (const release of ["gracegate", "zebra", "istio", "a"]) {
      const args = ["template", release, "charts/gracegate", "--namespace", "zoo"];
      const { stdout } = spawnSync(helmBinary.path, args, { encoding: "utf8" });
      const name = /kind: MutatingWebhookConfiguration\nmetadata:\n(?: *#.*\n)* +name: (\S+)/.exec(stdout)?.[1] ?? "";
      assert.match(name, /^gracegate-.*zoo$/);
      assert.ok(name < "istio-revision-tag-default" && name < "istio-sidecar-injector");
    }
  });

  it("asks the API server for nothing when it is rendered, so that it works without one", () => {
    assert.equal(render(helmBinary.path, {}, ["--include-crds"]).status, 0);
    const { stdout } = spawnSync("grep", ["-rlE", "lookup|Capabilities.APIVersions", "charts/gracegate/templates"], {
      encoding: "utf8",
    });
    assert.equal(stdout, "");
  });
});

describe("the chart's permissions", { skip }, () => {
  let stopped: ApiServer;

  before(async () => {
    folder = await makeFolder();
    api = await startApiServer({ apiserver: apiserver.path, etcd: etcdServer.path }, [ACCOUNT]);
    stopped = api;
    await install(api, helmBinary.path, "localhost:1");
  });

  after(async () => {
    await stopped?.stop();
    folder?.remove();
  });

  it("are enough", async () => {
    const webhook = await startReplica(api, folder, () => "");
    try {
      await eventually(async () => /certificate_verified 1/.test(await webhook.metrics()), 20_000);
      await eventually(async () => (await webhook.metrics()).includes("policies 1"), 20_000);
      assert.doesNotMatch(webhook.log(), /forbidden|source-unreachable/);
    } finally {
      await webhook.stop();
    }
  });

  it("are each needed: without it, the log says what is forbidden", { timeout: 300_000 }, async (context) => {
    for (const kind of ["ClusterRole", "Role"] as const) {
      const path = `${collectionOf({ kind, metadata: kind === "Role" ? { namespace: NAMESPACE } : {} })}/${kind === "Role" ? "gracegate" : CLUSTER_NAME}`;
      const whole = (await api.call("GET", path)).body;
      for (const { rules, verb, resource } of withoutEach(objectsAt(whole, "rules"))) {
        await context.test(`${verb} ${resource}`, async () => {
          await replaceRules(path, rules);
          await eventually(async () => !(await may(verb, resource)), 10_000);
          // An update needs something to mend, a creation nothing to find.
          await api.call("DELETE", SECRET);
          if (verb === "update") {
            const metadata = { name: "gracegate-tls", namespace: NAMESPACE };
            await api.call("POST", SECRET.replace(/\/[^/]+$/, ""), { apiVersion: "v1", kind: "Secret", metadata });
          }
          const webhook = await startReplica(api, folder, () => "");
          try {
            await eventually(() => forbidden(webhook.log(), verb, resource), 20_000);
          } finally {
            await webhook.stop();
            await replaceRules(path, objectsAt(whole, "rules"));
          }
        });
      }
    }
  });
});

function one(objects: readonly JsonObject[], kind: string): JsonObject {
  return objects.find((object) => object.kind === kind) ?? {};
}

function forbidden(log: string, verb: string, resource: string): boolean {
  return log.split("\n").some((line) => {
    if (!line.includes(resource)) return false;
    // The status of a watch that is refused has no sentence.
    return line.includes(`cannot ${verb} resource`) || (verb === "watch" && /403|Forbidden/.test(line));
  });
}

/** The rules with one verb on one resource taken away, for each of them. */
function* withoutEach(rules: readonly JsonObject[]) {
  for (const [index, rule] of rules.entries()) {
    for (const resource of textsAt(rule, "resources")) {
      for (const verb of textsAt(rule, "verbs")) {
        const others = { ...rule, resources: textsAt(rule, "resources").filter((one) => one !== resource) };
        const less = { ...rule, resources: [resource], verbs: textsAt(rule, "verbs").filter((one) => one !== verb) };
        const kept = [others, less].filter(
          (one) => textsAt(one, "resources").length > 0 && textsAt(one, "verbs").length > 0,
        );
        yield { verb, resource, rules: [...rules.slice(0, index), ...kept, ...rules.slice(index + 1)] };
      }
    }
  }
}

async function replaceRules(path: string, rules: readonly JsonObject[]): Promise<void> {
  const answer = await api.call("PATCH", path, { rules }, "application/merge-patch+json");
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

/** Whether the ServiceAccount may, as the API server sees it: it learns of a changed role a moment later. */
async function may(verb: string, resource: string): Promise<boolean> {
  const isNamed = verb !== "create" && resource !== "gracepolicies";
  const name = resource === "secrets" ? "gracegate-tls" : resource === "configmaps" ? "istio" : CLUSTER_NAME;
  const group =
    resource === "gracepolicies"
      ? "gracegate.dev"
      : resource.endsWith("configurations")
        ? "admissionregistration.k8s.io"
        : "";
  const answer = await api.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: {
      user: `system:serviceaccount:${ACCOUNT}`,
      resourceAttributes: { verb, group, resource, namespace: NAMESPACE, ...(isNamed ? { name } : {}) },
    },
  });
  return objectAt(answer.body, "status").allowed === true;
}

async function dryRun(object: JsonObject): Promise<void> {
  const collection = collectionOf(object);
  if (collection === undefined) {
    assert.match(textAt(object, "apiVersion") ?? "", /^(monitoring\.coreos\.com|cert-manager\.io)\/v1$/);
    return;
  }
  const name = textAt(objectAt(object, "metadata"), "name");
  const path = `${collection}/${name}?dryRun=All&fieldManager=chart&force=true&fieldValidation=Strict`;
  const answer = await api.call("PATCH", path, object);
  assert.ok(answer.status < 300, `${String(object.kind)} ${name}: ${JSON.stringify(answer.body)}`);
}

function merged(a: JsonObject, b: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = result[key];
    const isBoth = typeof before === "object" && typeof value === "object" && !Array.isArray(value) && value !== null;
    result[key] = isBoth ? merged(before as JsonObject, value as JsonObject) : value;
  }
  return result as JsonObject;
}
