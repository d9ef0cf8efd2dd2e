/**
 * The chart with `certificates.source: cert-manager`, on a real API server with cert-manager's CRDs and controllers: what it
 * issues verifies with what its CA injector registered, before, while and after each renewal.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parse } from "yaml";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { eventually } from "../integration/webhook-process.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { collectionOf, NAMESPACE, render } from "./chart.ts";
import { certManager, etcd, helm, kubernetes } from "./install/components.ts";
import { bundlesIn, create } from "./installed.ts";

const helmBinary = helm();
const apiserver = kubernetes("kube-apiserver", "1.35.4");
const etcdServer = etcd();
const manager = certManager();
const skip = helmBinary.missing ?? apiserver.missing ?? etcdServer.missing ?? manager.missing ?? false;

const GROUP = "/apis/cert-manager.io/v1";
const PATIENCE_MS = 60_000;

let api: ApiServer;
let controllers: ChildProcess;
let log = "";

describe("the chart with cert-manager", { skip, timeout: 300_000 }, () => {
  before(async () => {
    api = await startApiServer({ apiserver: apiserver.path, etcd: etcdServer.path });
    const crds = join(dirname(manager.path), "crds");
    for (const file of readdirSync(crds)) {
      await create(api, parse(readFileSync(join(crds, file), "utf8")) as JsonObject);
    }
    await create(api, parse(readFileSync("charts/gracegate/crds/gracepolicies.yaml", "utf8")) as JsonObject);
    await create(api, { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } }, "/api/v1/namespaces");
    for (const path of [`${GROUP}/certificates`, `${GROUP}/issuers`, "/apis/gracegate.dev/v1alpha1/gracepolicies"]) {
      await eventually(async () => (await api.call("GET", path)).status === 200);
    }
  });

  after(async () => {
    if (controllers !== undefined && controllers.exitCode === null) {
      controllers.kill("SIGTERM");
      await once(controllers, "exit");
    }
    await api?.stop();
  });

  const chart = () => {
    const { objects, stderr } = render(helmBinary.path, { certificates: { source: "cert-manager" } }, ["--no-hooks"]);
    assert.ok(objects.length > 0, stderr);
    return objects;
  };

  it("renders nothing that a strict API server refuses, with an Issuer of its own and with somebody else's", async () => {
    const certManager = { issuerRef: { name: "company", kind: "ClusterIssuer" } };
    const others = render(helmBinary.path, { certificates: { source: "cert-manager", certManager } }, ["--no-hooks"]);
    for (const object of [...chart(), ...others.objects]) {
      const name = textAt(objectAt(object, "metadata"), "name");
      const path = `${pathOf(object)}/${name}?dryRun=All&fieldManager=chart&force=true&fieldValidation=Strict`;
      const answer = await api.call("PATCH", path, object);
      assert.ok(answer.status < 300, `${String(object.kind)} ${name}: ${JSON.stringify(answer.body)}`);
    }
    const kinds = others.objects
      .filter(({ apiVersion }) => apiVersion === "cert-manager.io/v1")
      .map(({ kind }) => kind);
    assert.deepEqual(kinds, ["Certificate"]);
  });

  it("gets a certificate for its Service, and the authority into both configurations", async () => {
    for (const object of chart()) if (object.kind !== "Deployment") await create(api, object, pathOf(object));
    controllers = spawn(manager.path, [api.kubeconfig()], { stdio: ["ignore", "ignore", "pipe"] });
    controllers.stderr?.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
    await eventually(async () => (await served()) !== undefined, PATIENCE_MS);
    await eventually(async () => (await bundlesIn(api)).every((bundle) => bundle !== ""), PATIENCE_MS);
    const leaf = new X509Certificate((await served()) ?? "");
    assert.ok(leaf.checkHost(`gracegate.${NAMESPACE}.svc`));
    const [bundle = ""] = await bundlesIn(api);
    assert.ok(isIssuedBy(leaf.toString(), bundle));
    assert.ok(!leaf.ca && new X509Certificate(bundle).ca, "the certificate is its own authority");
  });

  it("renews the certificate under the same authority: what is registered does not change", async () => {
    const before = { leaf: await served(), bundles: await bundlesIn(api) };
    await renew("gracegate");
    await eventually(async () => (await served()) !== before.leaf, PATIENCE_MS);
    assert.deepEqual(await bundlesIn(api), before.bundles);
    assert.ok(isIssuedBy((await served()) ?? "", before.bundles[0] ?? ""));
  });

  it("renews the authority so that old and new certificates verify with either", async () => {
    const [leaf = "", [bundle = ""]] = [await served(), await bundlesIn(api)];
    await renew("gracegate-ca");
    await eventually(async () => (await certificateIn("gracegate-ca")) !== bundle, PATIENCE_MS);
    await renew("gracegate");
    await eventually(async () => (await served()) !== leaf, PATIENCE_MS);
    await eventually(async () => (await bundlesIn(api)).every((one) => one !== bundle), PATIENCE_MS);
    const [renewedLeaf = "", [renewed = ""]] = [await served(), await bundlesIn(api)];
    for (const one of [leaf, renewedLeaf]) {
      for (const trusted of [bundle, renewed]) assert.ok(isIssuedBy(one, trusted));
    }
  });
});

function pathOf(object: JsonObject): string {
  const { kind, apiVersion } = object;
  if (apiVersion !== "cert-manager.io/v1") return collectionOf(object) ?? "";
  return `${GROUP}/namespaces/${NAMESPACE}/${String(kind).toLowerCase()}s`;
}

async function certificateIn(secret: string): Promise<string | undefined> {
  const { status, body } = await api.call("GET", `/api/v1/namespaces/${NAMESPACE}/secrets/${secret}`);
  const text = textAt(objectAt(body, "data"), "tls.crt");
  return status === 200 && text ? Buffer.from(text, "base64").toString() : undefined;
}

/** What the replicas would serve. */
function served(): Promise<string | undefined> {
  return certificateIn("gracegate-cert-manager-tls");
}

/** Asks for another certificate, as `cmctl renew` does. */
async function renew(certificate: string): Promise<void> {
  const path = `${GROUP}/namespaces/${NAMESPACE}/certificates/${certificate}`;
  const isReady = (object: JsonObject) =>
    objectsAt(objectAt(object, "status"), "conditions").some(
      ({ type, status }) => type === "Ready" && status === "True",
    );
  await eventually(async () => isReady((await api.call("GET", path)).body), PATIENCE_MS);
  const { body } = await api.call("GET", path);
  const issuing = {
    type: "Issuing",
    status: "True",
    reason: "ManuallyTriggered",
    message: "asked for by a test",
    lastTransitionTime: new Date().toISOString().replace(/\.\d+/, ""),
  };
  const conditions = [...objectsAt(objectAt(body, "status"), "conditions"), issuing];
  const answer = await api.call("PATCH", `${path}/status`, { status: { conditions } }, "application/merge-patch+json");
  assert.equal(answer.status, 200, `${JSON.stringify(answer.body)}\n${log.slice(-2000)}`);
}

function isIssuedBy(leaf: string, authority: string): boolean {
  const [issued, issuer] = [new X509Certificate(leaf), new X509Certificate(authority)];
  return issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
}
