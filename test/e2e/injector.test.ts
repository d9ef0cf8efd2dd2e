/**
 * Gracegate and Istio's real injector on one API server: the pods that come out, whole, as golden files, and what happens
 * where the two are called in another order or again.
 *
 *   GRACEGATE_GOLDEN=write node scripts/e2e.ts injector      writes the golden files; read the diff
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { stringify } from "yaml";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { policyObject } from "../../src/policy/validate.ts";
import { until } from "../integration/hc-process.ts";
import { type Folder, makeFolder, startWebhook, type WebhookProcess } from "../integration/webhook-process.ts";
import { type ApiAnswer, type ApiServer, startApiServer } from "./api-server.ts";
import { etcd, helm, kubernetes } from "./install/components.ts";
import { istiod } from "./install/istiod.ts";
import { ISTIO } from "./install/pilot-agent.ts";
import { type Case, cases } from "./istio/cases.ts";
import { type ControlPlane, startControlPlane } from "./istio/control-plane.ts";
import { registrationOf } from "./registration.ts";

/** The version that the chart is tested with. */
const VERSION = "1.35.4";

const GOLDEN = "test/golden/injected";
const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

/** Names that are called before and after Istio's. */
const NAMES = { before: "gracegate", after: "zzz-gracegate" } as const;

const parts = [etcd(), kubernetes("kube-apiserver", VERSION), helm(), istiod(ISTIO)];
const [etcdServer, apiserver, helmClient, control] = parts.map(({ path }) => path);

let folder: Folder;
let webhook: WebhookProcess;
let api: ApiServer;
let istio: ControlPlane;

describe("with Istio's injector", {
  skip: parts.find(({ missing }) => missing)?.missing ?? false,
  timeout: 300_000,
}, () => {
  before(async () => {
    folder = await makeFolder(JSON.stringify(policyObject("default", "shop", { gateway: { requestP99: "20s" } })));
    webhook = await startWebhook(folder, ["--hc-image", "registry.example/gracegate:1"]);
    api = await startApiServer({ apiserver: apiserver ?? "", etcd: etcdServer ?? "" });
    istio = await startControlPlane(api, control ?? "", helmClient ?? "", folder.path);
    const optedIn = { "gracegate.dev/injection": "enabled" };
    await namespace("shop", { ...optedIn, "istio-injection": "enabled" });
    await namespace("revision", { ...optedIn, "istio.io/rev": "default" });
    await ordered("before", "Never");
  });

  after(async () => {
    await istio?.stop();
    await api?.stop();
    await webhook?.stop();
    folder?.remove();
  });

  for (const one of cases) {
    it(`${one.name}: ${one.says}`, async () => {
      const answer = await create(one);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      const text = withoutToken(stringify(withoutChance(answer.body), { lineWidth: 0 }), answer.body);
      const file = join(GOLDEN, `${one.name}.yaml`);
      if (process.env.GRACEGATE_GOLDEN === "write") {
        mkdirSync(GOLDEN, { recursive: true });
        writeFileSync(file, text);
      }
      assert.equal(text, readFileSync(file, "utf8"));
    });
  }

  for (const order of ["before", "after"] as const) {
    for (const reinvocation of ["Never", "IfNeeded"] as const) {
      it(`called ${order} Istio's, which is called ${reinvocation === "Never" ? "once" : "again"}, pods are whole`, async () => {
        await ordered(order, reinvocation);
        const classic = proxyOf(await created("classic"));
        assert.equal(variableIn(classic, "EXIT_ON_ZERO_ACTIVE_CONNECTIONS"), "true");
        assert.deepEqual(preStopOf(classic), { exec: { command: ["kill", "-SIGTERM", "1"] } });
        // Istio's own hook drains a native sidecar; another one beside it would be refused.
        assert.match(JSON.stringify(preStopOf(proxyOf(await created("native")))), /^\{"exec":.*"drain"\]\}\}$/);
        const gateway = await created("gateway");
        const names = objectsAt(objectAt(gateway, "spec"), "containers").map(({ name }) => name);
        assert.deepEqual(names, ["istio-proxy", "hc"]);
        assert.equal(variableIn(proxyOf(gateway), "EXIT_ON_ZERO_ACTIVE_CONNECTIONS"), "true");
        assert.equal(variableIn(proxyOf(gateway), "MINIMUM_DRAIN_DURATION"), "5s");
        assert.match(JSON.stringify(preStopOf(proxyOf(gateway))), /drained/);
        assert.equal(objectAt(gateway, "spec").terminationGracePeriodSeconds, 63);
      });
    }
  }

  it("only before Istio's does a gateway's proxy show its requests, which hc needs", async () => {
    const shows = (pod: JsonObject) =>
      String(variableIn(proxyOf(pod), "PROXY_CONFIG")).includes("downstream_rq_active");
    await ordered("before", "Never");
    assert.equal(shows(await created("gateway")), true);
    await ordered("after", "Never");
    assert.equal(shows(await created("gateway")), false);
    await ordered("after", "IfNeeded");
    assert.equal(shows(await created("gateway")), true);
  });

  it("a value that Istio refuses pods for is repaired where its meaning is clear", async () => {
    await ordered("before", "Never");
    const annotations = { "proxy.istio.io/config": "proxyMetadata: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: true }" };
    const answer = await create({ ...caseOf("classic"), annotations });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    assert.match(answer.warnings.join("\n"), /EXIT_ON_ZERO_ACTIVE_CONNECTIONS/);
  });

  it("and left to Istio's refusal where it is not, with a warning beside it", async () => {
    const annotations = { "proxy.istio.io/config": "terminationDrainDuration: 30" };
    const answer = await create({ ...caseOf("classic"), annotations });
    assert.notEqual(answer.status, 201);
    assert.match(textAt(answer.body, "message") ?? "", /sidecar-injector.istio.io" denied the request/);
  });
});

/**
 * Registers both again, in an order. The API server sees a change some time after it was made, so it is waited for: first
 * that nobody is called, then that both are.
 */
async function ordered(order: keyof typeof NAMES, reinvocation: "Never" | "IfNeeded"): Promise<void> {
  for (const name of Object.values(NAMES)) await api.call("DELETE", `${CONFIGURATIONS}/${name}`);
  await istio.unregister();
  await until("nobody is called", async () => (await callers()) === 0);
  await istio.register(reinvocation);
  const answer = await api.call("POST", CONFIGURATIONS, registrationOf(webhook.port, folder.ca, NAMES[order]));
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  await until("both are called", async () => (await callers()) === 2);
}

/** How many of the two webhooks change a pod now. */
async function callers(): Promise<number> {
  const annotations = objectAt(objectAt((await create(caseOf("classic"))).body, "metadata"), "annotations");
  return ["gracegate.dev/status", "sidecar.istio.io/status"].filter((name) => name in annotations).length;
}

function caseOf(name: string): Case {
  const found = cases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found;
}

async function created(name: string): Promise<JsonObject> {
  const answer = await create(caseOf(name));
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

function create({ name, namespace = "shop", labels, annotations = {}, spec }: Case): Promise<ApiAnswer> {
  return api.call("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name, ...labels }, annotations },
    // Without its admission plugin nobody else names the account, and Istio's token needs one.
    spec: { serviceAccountName: "default", ...spec },
  });
}

/** A pod without what is another one each time. */
function withoutChance(pod: JsonObject): JsonObject {
  const { uid: _uid, creationTimestamp: _at, managedFields: _fields, ...metadata } = objectAt(pod, "metadata");
  return { ...pod, metadata };
}

/** The hook's token is the uid of the admission request. */
function withoutToken(text: string, pod: JsonObject): string {
  const hc = objectsAt(objectAt(pod, "spec"), "containers").find(({ name }) => name === "hc") ?? {};
  const token = variableIn(hc, "HOOK_TOKEN");
  return token === undefined ? text : text.replaceAll(String(token), "UID-OF-THE-FIRST-CALL");
}

async function namespace(name: string, labels: JsonObject): Promise<void> {
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
  assert.equal((await api.call("POST", "/api/v1/namespaces", object)).status, 201);
}

function proxyOf(pod: JsonObject): JsonObject {
  const spec = objectAt(pod, "spec");
  const all = [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")];
  return all.find(({ name }) => name === "istio-proxy") ?? {};
}

function preStopOf(container: JsonObject): JsonObject {
  return objectAt(objectAt(container, "lifecycle"), "preStop");
}

function variableIn(container: JsonObject, name: string): unknown {
  return objectsAt(container, "env").find((variable) => variable.name === name)?.value;
}
