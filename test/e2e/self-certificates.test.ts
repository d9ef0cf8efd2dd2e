/**
 * Two replicas that keep their certificates in a Secret of a real API server, with the permissions of the chart: they
 * start at the same instant, renew, lose the Secret, and no pod is created without them.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { registrations } from "../../src/kube/registrations.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { apiOf } from "../integration/cluster-worlds.ts";
import { eventually, type Folder, makeFolder, type WebhookProcess } from "../integration/webhook-process.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { CLUSTER_NAME } from "./chart.ts";
import { etcd, helm, kubernetes } from "./install/components.ts";
import { ACCOUNT, bundlesIn, CONFIGURATION, install, SECRET, startReplica } from "./installed.ts";

const VERSION = "1.35.4";

const helmBinary = helm();
const apiserver = kubernetes("kube-apiserver", VERSION);
const etcdServer = etcd();
const skip = helmBinary.missing ?? apiserver.missing ?? etcdServer.missing ?? false;

/** A minute: renewed about every 40 seconds, and 20 seconds are left for an API server that is away. */
const SHORT = ["--certificate-days", String(60 / 86_400)];

let api: ApiServer;
let folder: Folder;
let balancer: Balancer;
let replicas: WebhookProcess[];
let registered = "";

describe("certificates in a Secret", { skip }, () => {
  before(async () => {
    folder = await makeFolder();
    api = await startApiServer({ apiserver: apiserver.path, etcd: etcdServer.path }, [ACCOUNT]);
    balancer = await startBalancer();
    await install(api, helmBinary.path, `localhost:${balancer.port}`);
    const labels = { "gracegate.dev/injection": "enabled" };
    const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels } };
    assert.equal((await api.call("POST", "/api/v1/namespaces", shop)).status, 201);
  });

  after(async () => {
    for (const replica of replicas ?? []) await replica.stop();
    await balancer?.close();
    await api?.stop();
    folder?.remove();
  });

  it("two replicas that start at the same instant agree on one Secret and are ready", async () => {
    const start = () => startReplica(api, folder, () => registered, SHORT);
    replicas = await Promise.all([start(), start()]);
    await allReady();
    balancer.replicas = replicas.map(({ port }) => port);
    const shown = await Promise.all(replicas.map((replica) => replica.metrics()));
    const begun = shown.map((text) => Number(/certificate_steps_total\{step="begin"\} ([0-9]+)/.exec(text)?.[1]));
    assert.equal(
      begun.reduce((sum, steps) => sum + steps),
      1,
    );
    assert.equal(new Set(await bundlesIn(api)).size, 1);
    await eventually(async () => (await createPod(true)) === "mutated", 20_000);
  });

  it("own nothing in the configuration but the caBundles", async () => {
    const { body } = await api.call("GET", CONFIGURATION);
    const ours = objectsAt(objectAt(body, "metadata"), "managedFields").filter(
      ({ manager }) => manager === "gracegate-certificates",
    );
    assert.equal(ours.length, 1);
    const fields = JSON.stringify(ours[0]?.fieldsV1).replaceAll(/"k:\{[^}]*\}"/g, '"k"');
    const leaf = '{".":{},"f:clientConfig":{"f:caBundle":{}},"f:name":{}}';
    assert.equal(fields, `{"f:webhooks":{"k":${leaf},"k":${leaf}}}`);
  });

  it("heal the caBundle that somebody changed by hand", async () => {
    const [bundle = ""] = await bundlesIn(api);
    for (const caBundle of ["", Buffer.from(folder.file("x", "x") && (await strangersCa())).toString("base64")]) {
      const patch = [{ op: "replace", path: "/webhooks/0/clientConfig/caBundle", value: caBundle }];
      const answer = await api.call(
        "PATCH",
        CONFIGURATION,
        patch as unknown as JsonObject,
        "application/json-patch+json",
      );
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      await eventually(async () =>
        (await bundlesIn(api)).every((one) => one !== "" && one.includes(bundle.slice(0, 200))),
      );
    }
    await eventually(async () => (await createPod(true)) === "mutated");
  });

  it("heal the Secret that somebody emptied, and one with garbage", async () => {
    for (const data of [null, { "tls.crt": "eA==", "tls.key": "eA==", "ca.crt": "eA==" }]) {
      const answer = await api.call(
        "PATCH",
        SECRET,
        { data: { "ca.crt": null, "ca.key": null, "tls.crt": "", "tls.key": "", ...data } },
        "application/merge-patch+json",
      );
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      await eventually(
        async () => (await secretText("tls.crt")).includes("BEGIN") && (await secretText("ca.crt")).includes("BEGIN"),
      );
      assert.equal(await createPod(true), "mutated");
    }
  });

  it("lose no pod of 500 while certificates and authority are renewed, a replica is killed and the API server restarts", {
    timeout: 240_000,
  }, async () => {
    const before = await secretText("ca.crt");
    const counts = { mutated: 0, unmutated: 0, refused: 0, unavailable: 0 };
    let isDone = false;
    let creation = createPod(true);
    let held = Promise.resolve();
    const creating = (async () => {
      while (!isDone || counts.mutated < 500) {
        await held;
        creation = createPod();
        counts[await creation]++;
        await wait(100);
      }
    })();
    // Deleting the Secret asks for another authority: announced at once, switched to after a minute.
    await api.call("DELETE", SECRET);
    await wait(15_000);
    const [first, second] = replicas;
    assert.ok(first && second);
    // Between two pods: nobody can answer the call that a killed process has taken, and it takes some 25 ms to die.
    const killed = Promise.withResolvers<void>();
    held = killed.promise;
    await creation;
    balancer.replicas = [second.port];
    first.child.kill("SIGKILL");
    await first.ended;
    killed.resolve();
    await wait(10_000);
    replicas = [second, await startReplica(api, folder, () => registered, SHORT)];
    await allReady();
    balancer.replicas = replicas.map(({ port }) => port);
    await eventually(async () => (await secretText("ca.crt")) !== before, 90_000);
    await api.pause();
    await wait(1000);
    await api.resume();
    await eventually(async () => (await createPod(true)) === "mutated", 30_000);
    await wait(5000);
    isDone = true;
    await creating;
    await wait(1500); // Logs are written once a second.
    const steps = replicas.map(({ log }) => [...log().matchAll(/"step":"(\w+)"/g)].map((match) => match[1]).join(" "));
    process.stderr.write(`pods: ${JSON.stringify(counts)}; steps: ${steps.join(" | ")}\n${failedCalls()}`);
    assert.ok(steps.join(" ").includes("issue"), "no certificate was renewed");
    assert.equal(counts.refused, 0);
    assert.equal(counts.unmutated, 0, failedCalls());
  });

  it("never make a configuration that was deleted, and say that it is missing", async () => {
    const configuration = (await api.call("GET", CONFIGURATION)).body;
    const connection = apiOf(api.kubeconfig());
    const kept = registrations(connection, [{ kind: "MutatingWebhookConfiguration", name: CLUSTER_NAME }]);
    const [read] = await kept.read();
    assert.ok(read?.bundles);
    assert.equal((await api.call("DELETE", CONFIGURATION)).status, 200);
    // A replica that read it just before it was deleted.
    await kept.publish(read, "a bundle");
    const name = `MutatingWebhookConfiguration ${CLUSTER_NAME}`;
    for (const replica of replicas) {
      await eventually(
        async () => (await replica.metrics()).includes(`configuration_present{configuration="${name}"} 0`),
        40_000,
      );
      await eventually(() => replica.log().includes("webhook-configuration-missing"));
    }
    assert.equal((await api.call("GET", CONFIGURATION)).status, 404);
    assert.equal(await createPod(true), "unmutated");

    const { resourceVersion: _, uid: __, managedFields: ___, ...metadata } = objectAt(configuration, "metadata");
    const webhooks = objectsAt(configuration, "webhooks").map((webhook) => {
      const { caBundle: ____, ...clientConfig } = objectAt(webhook, "clientConfig");
      return { ...webhook, clientConfig };
    });
    const collection = CONFIGURATION.replace(/\/[^/]+$/, "");
    assert.equal((await api.call("POST", collection, { ...configuration, metadata, webhooks })).status, 201);
    await eventually(async () => (await createPod(true)) === "mutated", 20_000);
  });
});

/** What the API server says of the calls to the webhook that failed. */
function failedCalls(): string {
  const lines = api.log().split("\n");
  return lines
    .filter((line) => /failed calling webhook/i.test(line))
    .map((line) => `${line}\n`)
    .join("");
}

async function strangersCa(): Promise<string> {
  const { makeCertificates } = await import("../../src/tls/development-certificates.ts");
  return (await makeCertificates(["localhost"], 1)).caCert;
}

async function secretText(key: string): Promise<string> {
  const { body } = await api.call("GET", SECRET);
  return Buffer.from(textAt(objectAt(body, "data"), key) ?? "", "base64").toString();
}

async function allReady(): Promise<void> {
  for (const replica of replicas) {
    await eventually(async () => {
      registered = (await bundlesIn(api))[0] ?? "";
      return (await replica.get("/readyz").catch(() => undefined))?.status === 200;
    }, 30_000);
  }
}

let count = 0;

type Created = "mutated" | "unmutated" | "refused" | "unavailable";

/** Creates a pod that no scheduler takes. What the API server itself cannot do is counted apart. */
async function createPod(isDryRun = false): Promise<Created> {
  const answer = await api
    .call("POST", `/api/v1/namespaces/shop/pods${isDryRun ? "?dryRun=All" : ""}`, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `pod-${++count}` },
      spec: { schedulerName: "nobody", containers: [{ name: "istio-proxy", image: "p", args: ["proxy", "router"] }] },
    })
    .catch(() => undefined);
  if (answer === undefined || answer.status === 429 || answer.status >= 500) return "unavailable";
  // Right after its start the API server says 403 "not yet ready" for its own admission plugins.
  if (answer.status === 403 && /not yet ready/.test(textAt(answer.body, "message") ?? "")) return "unavailable";
  if (answer.status !== 201) {
    process.stderr.write(`refused: ${JSON.stringify(answer.body)}\n`);
    return "refused";
  }
  const annotations = objectAt(objectAt(answer.body, "metadata"), "annotations");
  return Object.hasOwn(annotations, "gracegate.dev/status") ? "mutated" : "unmutated";
}
