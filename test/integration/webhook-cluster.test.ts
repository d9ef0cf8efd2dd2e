/**
 * The webhook with policies and mesh config from a cluster; the API server is a stand-in that can be made to fail.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { policyObject } from "../../src/policy/validate.ts";
import { meshConfigMap } from "./cluster-worlds.ts";
import { type FakeApiServer, startFakeApiServer } from "./fake-api-server.ts";
import { gatewayPod, patchOf, reviewText } from "./pods.ts";
import { eventually, type Folder, makeFolder, startWebhook, type WebhookProcess } from "./webhook-process.ts";

const CLIENT = "@kubernetes/client-node";

describe("a webhook with policies from a cluster", () => {
  let fake: FakeApiServer;
  let folder: Folder;
  let webhook: WebhookProcess;

  before(async () => {
    fake = await startFakeApiServer();
    folder = await makeFolder();
    fake.put(policyObject("default", "shop", { gateway: { drainTimeout: "33s" } }));
    fake.put(meshConfigMap("defaultConfig: {}"));
    fake.fault = "errors";
    webhook = await startWebhook(folder, ["--policy", "cluster", "--mesh-config", "cluster"], {
      KUBECONFIG: fake.kubeconfig,
    });
  });

  after(async () => {
    await webhook?.stop();
    await fake?.close();
    folder?.remove();
  });

  it("is alive and not ready before the first list", async () => {
    const ready = await webhook.get("/readyz");
    assert.equal(ready.status, 503);
    assert.match(ready.text, /the policies have not been read yet/);
    assert.equal((await webhook.get("/livez")).status, 200);
    assert.match(await webhook.metrics(), /gracegate_source_synced\{source="policies"\} 0/);
    await eventually(() => webhook.log().includes("source-unreachable"));
  });

  it("is ready once all sources were read, and mutates by them", async () => {
    fake.fault = "none";
    await eventually(async () => (await webhook.get("/readyz")).status === 200);
    const metrics = await webhook.metrics();
    assert.match(metrics, /gracegate_policies 1/);
    assert.match(metrics, /gracegate_source_synced\{source="mesh-config"\} 1/);
    assert.match(await patchText(), /33s/);
  });

  it("stays ready, and keeps its policies, while the API server is away", async () => {
    fake.fault = "refuses";
    fake.dropWatches();
    await eventually(
      async () => /source_errors_total\{source="policies"\} [3-9]/.test(await webhook.metrics()),
      20_000,
    );
    assert.match(await webhook.metrics(), /source_unreachable_seconds\{source="policies"\} (?!0$)/m);
    assert.equal((await webhook.get("/readyz")).status, 200);
    assert.match(await patchText(), /33s/);
  });

  it("takes what changed in the meantime when it is back", async () => {
    fake.put(policyObject("default", "shop", { gateway: { drainTimeout: "44s" } }));
    fake.put(policyObject("bad", "shop", { gateway: { drainTimeout: "44 sec" } }));
    fake.fault = "none";
    await eventually(async () => (await patchText()).includes("44s"), 20_000);
    assert.match(await webhook.metrics(), /gracegate_policies_skipped 1/);
    await eventually(() => webhook.log().includes("GracePolicy shop/bad"));
  });

  it("ends in time although its watches are open", async () => {
    assert.equal(await webhook.stop(), 0);
  });

  async function patchText(): Promise<string> {
    const answer = await webhook.post(reviewText(gatewayPod({}, "shop")));
    assert.equal(answer.status, 200);
    return JSON.stringify(patchOf(answer));
  }
});

it("a webhook on files does not load the client of the API server", async () => {
  const folder = await makeFolder(JSON.stringify(policyObject("default", "shop", {})));
  const list = join(folder.path, "loaded");
  const preload = join(import.meta.dirname, "list-loaded.ts");
  const webhook = await startWebhook(folder, [], { NODE_OPTIONS: `--import ${preload}`, LOADED_FILE: list });
  assert.equal(await webhook.stop(), 0);
  const loaded = readFileSync(list, "utf8").split("\n");
  assert.ok(loaded.some((url) => url.includes("/express/")));
  assert.deepEqual(
    loaded.filter((url) => url.includes(CLIENT) || url.includes("/src/kube/")),
    [],
  );
  folder.remove();
});
