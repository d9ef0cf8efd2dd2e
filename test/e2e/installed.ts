/**
 * An API server with the chart's objects in it, and webhook processes outside that have the chart's ServiceAccount.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { eventually, type Folder, startWebhook, type WebhookProcess } from "../integration/webhook-process.ts";
import type { ApiServer } from "./api-server.ts";
import { CLUSTER_NAME, collectionOf, NAMESPACE, render } from "./chart.ts";

/** The chart's ServiceAccount, as api-server.ts names accounts. */
export const ACCOUNT = `${NAMESPACE}:gracegate`;

/** The Secret of the certificates. */
export const SECRET = `/api/v1/namespaces/${NAMESPACE}/secrets/gracegate-tls`;

/** The registration. */
export const CONFIGURATION = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${CLUSTER_NAME}`;

/**
 * Makes the CRD, Istio's and Gracegate's namespaces, and the chart's objects but for its Deployment.
 *
 * @param address where webhooks are called; undefined: by the Service, which goes nowhere without a node
 */
export async function install(api: ApiServer, helm: string, address?: string): Promise<void> {
  for (const name of [NAMESPACE, "istio-system"]) {
    await create(api, { apiVersion: "v1", kind: "Namespace", metadata: { name } }, "/api/v1/namespaces");
  }
  await create(api, parse(readFileSync("charts/gracegate/crds/gracepolicies.yaml", "utf8")) as JsonObject);
  await eventually(async () => (await api.call("GET", "/apis/gracegate.dev/v1alpha1/gracepolicies")).status === 200);
  const { objects, stderr } = render(helm, {}, ["--no-hooks"]);
  assert.ok(objects.length > 0, stderr);
  for (const object of objects) {
    if (object.kind !== "Deployment") await create(api, address === undefined ? object : atAddress(object, address));
  }
}

/** A webhook configuration whose Service is an address of this machine; other objects stay as they are. */
function atAddress(object: JsonObject, address: string): JsonObject {
  const webhooks = objectsAt(object, "webhooks").map((webhook) => {
    const path = textAt(objectAt(objectAt(webhook, "clientConfig"), "service"), "path") ?? "";
    return { ...webhook, clientConfig: { url: `https://${address}${path}` } };
  });
  return webhooks.length === 0 ? object : { ...object, webhooks };
}

/** Creates an object. */
export async function create(
  api: ApiServer,
  object: JsonObject,
  collection = collectionOf(object),
): Promise<JsonObject> {
  const answer = await api.call("POST", collection ?? "", object);
  assert.equal(answer.status, 201, `${String(object.kind)}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Flags of a webhook in the cluster; its Service is called localhost, so that its certificate is good for this machine. */
export const FLAGS: readonly string[] = [
  ...["--policy", "cluster", "--mesh-config", "cluster", "--root-namespace", NAMESPACE],
  ...["--tls-secret", `${NAMESPACE}/gracegate-tls`, "--service", "localhost"],
  ...["--webhook-configuration", CLUSTER_NAME, "--review-configuration", CLUSTER_NAME],
];

/** Starts a replica with the chart's permissions. It trusts whatever bundle is registered at the time of a call. */
export async function startReplica(
  api: ApiServer,
  folder: Folder,
  registered: () => string,
  flags: readonly string[] = [],
): Promise<WebhookProcess> {
  const trusting = Object.defineProperty({ ...folder }, "ca", { get: registered });
  return startWebhook(trusting, [...FLAGS, ...flags], { KUBECONFIG: api.kubeconfig(ACCOUNT) });
}

/** The bundles that are registered, one a webhook. */
export async function bundlesIn(api: ApiServer): Promise<readonly string[]> {
  const { body } = await api.call("GET", CONFIGURATION);
  return objectsAt(body, "webhooks").map((webhook) =>
    Buffer.from(textAt(objectAt(webhook, "clientConfig"), "caBundle") ?? "", "base64").toString(),
  );
}
