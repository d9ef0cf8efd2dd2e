/**
 * `gracegate check --cluster` on a real API server that calls a real webhook: what is missing, half done and outdated is
 * found, what is right is not, and a pod on trial proves the webhook.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { parse } from "yaml";
import { runPipeline } from "../../src/mutate/pipeline.ts";
import { type JsonObject, objectAt, objectsAt } from "../../src/pod/json.ts";
import { snapshotOf } from "../../src/policy/snapshot.ts";
import { policyObject, validatePolicy } from "../../src/policy/validate.ts";
import { type Folder, makeFolder, startWebhook, type WebhookProcess } from "../integration/webhook-process.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { etcd, kubectl, kubernetes } from "./install/components.ts";

const apiserver = kubernetes("kube-apiserver", "1.35.4");
const store = etcd();
const client = kubectl("1.35.4");
const skip = apiserver.missing ?? store.missing ?? client.missing ?? false;

const policy = policyObject("default", "shop", { sidecar: { drainTimeout: "20s" } });
const proxy = { name: "istio-proxy", image: "registry.example/istio/proxyv2:1.31.0", args: ["proxy", "sidecar"] };

describe("gracegate check --cluster", { skip }, () => {
  let folder: Folder;
  let webhook: WebhookProcess;
  let api: ApiServer;

  before(async () => {
    folder = await makeFolder(JSON.stringify(policy));
    webhook = await startWebhook(folder);
    api = await startApiServer({ apiserver: apiserver.path, etcd: store.path });
    const labels = { "gracegate.dev/injection": "enabled" };
    await create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels } });
    await create("/api/v1/namespaces/shop/pods", pod("missing"));
    await create("/api/v1/namespaces/shop/pods", injected("outdated", "10s"));
    await create("/api/v1/namespaces/shop/pods", injected("right", "20s"));
    // A gateway with the image that the webhook was started with, which is not this program's default.
    await create("/api/v1/namespaces/shop/pods", injected("gateway", "20s", gateway));
    await create("/apis/apps/v1/namespaces/default/deployments", installed);
  });

  after(async () => {
    await api?.stop();
    await webhook?.stop();
    folder?.remove();
  });

  function check(...args: readonly string[]) {
    const file = folder.policy;
    const env = { ...process.env, KUBECONFIG: api.kubeconfig() };
    const command = ["src/main.ts", "check", "--policy", file, "-o", "json", ...args];
    const ended = spawnSync(process.execPath, command, { env, encoding: "utf8", timeout: 60_000 });
    const found = JSON.parse(ended.stdout).findings as readonly Record<string, string>[];
    return { code: ended.status, stderr: ended.stderr, found: found.map(({ rule, object }) => `${rule} ${object}`) };
  }

  it("finds pods without and with outdated injection, and a webhook that is not called", () => {
    const { code, found } = check("--cluster");
    assert.equal(code, 1);
    assert.deepEqual(found.sort(), [
      "injection-missing Pod shop/missing",
      "injection-outdated Pod shop/outdated",
      "webhook-silent Namespace shop",
    ]);
  });

  it("finds nothing at the webhook once it is registered", async () => {
    const configuration = parse(readFileSync("examples/webhook-configuration.yaml", "utf8")) as JsonObject;
    const caBundle = Buffer.from(folder.ca).toString("base64");
    const clientConfig = { url: `https://127.0.0.1:${webhook.port}/mutate`, caBundle };
    const webhooks = objectsAt(configuration, "webhooks").map((entry) => ({ ...entry, clientConfig }));
    await create("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", { ...configuration, webhooks });
    for (let round = 0; ; round++) {
      const { found } = check("--context", "test", "-n", "shop");
      if (!found.some((one) => one.startsWith("webhook-silent"))) break;
      assert.ok(round < 10, "the trial never reached the webhook");
    }
  });

  it("says in one sentence that a context is not there, or a cluster does not answer", () => {
    const env = { ...process.env, KUBECONFIG: api.kubeconfig() };
    const args = ["src/main.ts", "check", "--context", "nowhere"];
    const ended = spawnSync(process.execPath, args, { env, encoding: "utf8" });
    assert.equal(ended.status, 1);
    assert.match(ended.stderr, /^nowhere cannot be read: .*does not exist\.\n$/);
  });

  it("says that a namespace is not there, and ends with 1", () => {
    const env = { ...process.env, KUBECONFIG: api.kubeconfig() };
    const args = ["src/main.ts", "check", "--cluster", "-n", "nosuch"];
    const ended = spawnSync(process.execPath, args, { env, encoding: "utf8" });
    assert.equal(ended.status, 1);
    assert.equal(ended.stderr, "the current context has no namespace nosuch, so nothing was checked.\n");
    assert.equal(ended.stdout, "");
  });

  async function create(path: string, object: JsonObject): Promise<void> {
    const answer = await api.call("POST", path, object);
    assert.equal(answer.status, 201, JSON.stringify(answer.body.message));
  }
});

function pod(name: string): JsonObject {
  const app = { name: "app", image: "registry.example/shop/app:4.2" };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "shop" }, spec: { containers: [app, proxy] } };
}

const HC_IMAGE = "mirror.example/gracegate:9";
const gateway = { name: "istio-proxy", image: "registry.example/istio/proxyv2:1.31.0", args: ["proxy", "router"] };
const labels = { "app.kubernetes.io/name": "gracegate" };

/** As the chart installs it, as far as a check looks at it. */
const installed: JsonObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "gracegate", namespace: "default", labels },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [{ name: "webhook", image: HC_IMAGE, args: ["webhook", `--hc-image=${HC_IMAGE}`] }],
        terminationGracePeriodSeconds: 30,
      },
    },
  },
};

/** A pod as the webhook made it with a policy of some drain timeout. */
function injected(name: string, drainTimeout: string, container?: JsonObject): JsonObject {
  const validated = validatePolicy(policyObject("default", "shop", { sidecar: { drainTimeout } }));
  assert.ok(validated.ok);
  const options = {
    snapshot: snapshotOf([validated.policy], "gracegate"),
    hcImage: HC_IMAGE,
    gatewayTemplates: ["gateway"],
  };
  const bare = pod(name);
  const original = container === undefined ? bare : { ...bare, spec: { containers: [container] } };
  const { pod: made } = runPipeline(original, "shop", options);
  assert.notEqual(objectAt(objectAt(made, "metadata"), "annotations")["gracegate.dev/status"], undefined);
  return made;
}
