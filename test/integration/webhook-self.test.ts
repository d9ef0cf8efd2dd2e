/**
 * The webhook that keeps its certificates in a Secret; the API server is a stand-in. Its TLS client trusts what is in the
 * registered configuration, and nothing else.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/pod/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { type FakeApiServer, startFakeApiServer } from "./fake-api-server.ts";
import { gatewayPod, reviewText } from "./pods.ts";
import { eventually, type Folder, makeFolder, startWebhook, type WebhookProcess } from "./webhook-process.ts";

const CONFIGURATION: JsonObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  metadata: { name: "gracegate" },
  webhooks: [{ name: "namespace.gracegate.dev" }, { name: "object.gracegate.dev" }],
};
const FLAGS = [
  ...["--tls-secret", "gracegate/gracegate-tls", "--service", "localhost"],
  ...["--webhook-configuration", "gracegate", "--review-configuration", "gracegate-review"],
];

describe("a webhook that keeps its certificates itself", () => {
  let fake: FakeApiServer;
  let folder: Folder;
  let webhook: WebhookProcess;

  const bundle = (kind = "MutatingWebhookConfiguration", name = "gracegate") => {
    const [first] = objectsAt(fake.get(kind, "", name), "webhooks");
    return Buffer.from(textAt(objectAt(first, "clientConfig"), "caBundle") ?? "", "base64").toString();
  };
  const secret = () => fake.get("Secret", "gracegate", "gracegate-tls");
  const isReady = async () => (await webhook.get("/readyz").catch(() => undefined))?.status === 200;

  before(async () => {
    fake = await startFakeApiServer();
    folder = await makeFolder();
    fake.put(CONFIGURATION);
    fake.fault = "errors";
    const trusting = Object.defineProperty({ ...folder }, "ca", { get: () => bundle() });
    webhook = await startWebhook(trusting, FLAGS, { KUBECONFIG: fake.kubeconfig });
  });

  after(async () => {
    await webhook?.stop();
    await fake?.close();
    folder?.remove();
  });

  it("has nothing to serve with at first, and is alive", async () => {
    await assert.rejects(webhook.get("/readyz"));
    const live = await fetch(`http://127.0.0.1:${webhook.metricsPort}/livez`);
    assert.equal(await live.text(), "ok\n");
  });

  it("makes a Secret, registers its authority and is ready", async () => {
    fake.fault = "none";
    await eventually(isReady, 20_000);
    assert.equal(secret()?.type, "kubernetes.io/tls");
    assert.deepEqual(Object.keys(objectAt(secret(), "data")).sort(), ["ca.crt", "ca.key", "tls.crt", "tls.key"]);
    await eventually(() => webhook.log().includes('"event":"ready"'));
    assert.equal((await webhook.post(reviewText(gatewayPod()))).status, 200);
    const metrics = await webhook.metrics();
    assert.match(metrics, /gracegate_certificate_steps_total\{step="begin"\} 1/);
    assert.match(metrics, /gracegate_certificate_verified 1/);
    assert.match(metrics, /gracegate_webhook_ready 1/);
    const seconds = (name: string) =>
      Number(new RegExp(`^gracegate_${name}_timestamp_seconds (.+)$`, "m").exec(metrics)?.[1]);
    const lives = (name: string) => (seconds(`${name}_expiry`) - seconds(`${name}_not_before`)) / 86_400;
    // A certificate begins an hour before it is made.
    assert.equal(Math.round(lives("certificate")), 90);
    assert.equal(Math.round(lives("certificate_authority")), 3650);
  });

  it("says which configuration is missing, and registers when it comes", async () => {
    const name = "ValidatingWebhookConfiguration gracegate-review";
    const shown = () => webhook.metrics();
    await eventually(async () => (await shown()).includes(`configuration_present{configuration="${name}"} 0`));
    await eventually(() => webhook.log().includes("webhook-configuration-missing"));
    fake.put({ ...CONFIGURATION, kind: "ValidatingWebhookConfiguration", metadata: { name: "gracegate-review" } });
    await eventually(() => bundle("ValidatingWebhookConfiguration", "gracegate-review") === bundle());
    await eventually(async () => (await shown()).includes(`configuration_present{configuration="${name}"} 1`));
  });

  it("makes the Secret again when it is deleted, and stays ready", async () => {
    const before = secret()?.data;
    fake.remove("Secret", "gracegate", "gracegate-tls");
    await eventually(() => secret() !== undefined);
    assert.equal(objectAt(secret(), "data")["tls.crt"], objectAt({ before: before ?? {} }, "before")["tls.crt"]);
    assert.ok(await isReady());
    await eventually(() => bundle().split("BEGIN").length === 3);
  });

  it("keeps what others wrote into the Secret, and mends its own part", async () => {
    const labelled = { ...objectAt(secret(), "metadata"), labels: { team: "edge" } };
    const data = { ...objectAt(secret(), "data"), "tls.key": "", note: "aGk=" };
    fake.put({ ...secret(), kind: "Secret", metadata: labelled, data });
    await eventually(() => objectAt(secret(), "data")["tls.key"] !== "");
    assert.equal(objectAt(secret(), "data").note, "aGk=");
    assert.deepEqual(objectAt(secret(), "metadata").labels, { team: "edge" });
    await eventually(isReady);
  });

  it("registers again when somebody changes a caBundle", async () => {
    const good = bundle();
    fake.put({ ...CONFIGURATION, webhooks: [{ name: "a.b.c", clientConfig: { caBundle: "eA==" } }] });
    await eventually(() => bundle() === good);
    assert.match(
      await webhook.metrics(),
      /ca_bundles_published_total\{configuration="MutatingWebhookConfiguration gracegate"\} [2-9]/,
    );
  });

  it("goes on serving while the API server forbids everything", async () => {
    fake.fault = "forbids";
    fake.dropWatches();
    await eventually(
      async () => /source_errors_total\{source="certificate"\} [1-9]/.test(await webhook.metrics()),
      40_000,
    );
    assert.ok(await isReady());
    await eventually(() => webhook.log().includes("forbidden: you may not"));
  });
});
