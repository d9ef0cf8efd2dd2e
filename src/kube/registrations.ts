/**
 * The caBundles of webhook configurations that exist, by server-side apply with a field manager of our own: everything
 * else in them belongs to whoever installed them. None is ever made here, so that an uninstall is final.
 */
import { type JsonObject, objectAt, objectsAt, textAt } from "../pod/json.ts";
import type { Registration, Registrations } from "../tls/registration.ts";
import { ApiRefusal, type ClusterApi } from "./api.ts";
import { watchNamed, watchTimes } from "./watched-list.ts";

/** A kind of webhook configuration. */
export type ConfigurationKind = "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration";

/** A configuration to keep the caBundles of. */
export interface ConfigurationName {
  readonly kind: ConfigurationKind;
  readonly name: string;
}

const GROUP = "admissionregistration.k8s.io/v1";
const FIELD_MANAGER = "gracegate-certificates";

interface Found extends Registration {
  readonly of: ConfigurationName;
  readonly uid: string;
  readonly webhooks: readonly string[];
}

/** Keeps the caBundles of these configurations. */
export function registrations(api: ClusterApi, names: readonly ConfigurationName[], times = watchTimes): Registrations {
  const read = (of: ConfigurationName) => readOne(api, of);
  return {
    read: () => Promise.all(names.map(read)),
    publish: (registration, bundle) => publish(api, registration as Found, bundle),
    async follow(onChange, onUnreachable, signal) {
      const follow = ({ kind, name }: ConfigurationName) =>
        watchNamed(api, { path: collectionOf(kind), name }, { onChange, onUnreachable }, signal, times);
      await Promise.all(names.map(follow));
    },
  };
}

async function readOne(api: ClusterApi, of: ConfigurationName): Promise<Found> {
  const path = `${collectionOf(of.kind)}/${of.name}`;
  const answer = await api.call("GET", path);
  const isAdvisory = of.kind === "ValidatingWebhookConfiguration";
  const nothing = { of, name: `${of.kind} ${of.name}`, isAdvisory, uid: "", webhooks: [], generation: "" };
  if (answer.status === 404) return { ...nothing, bundles: undefined };
  if (answer.status !== 200) throw new ApiRefusal(path, answer);
  const webhooks = objectsAt(answer.body, "webhooks");
  return {
    ...nothing,
    uid: textAt(objectAt(answer.body, "metadata"), "uid") ?? "",
    generation: String(objectAt(answer.body, "metadata").generation),
    webhooks: webhooks.map((webhook) => textAt(webhook, "name") ?? ""),
    bundles: webhooks.map((webhook) =>
      Buffer.from(textAt(objectAt(webhook, "clientConfig"), "caBundle") ?? "", "base64").toString(),
    ),
  };
}

async function publish(api: ClusterApi, { of, uid, webhooks }: Found, bundle: string): Promise<void> {
  const caBundle = Buffer.from(bundle).toString("base64");
  const body: JsonObject = {
    apiVersion: GROUP,
    kind: of.kind,
    // With the uid an apply cannot make a configuration that was deleted since it was read.
    metadata: { name: of.name, uid },
    webhooks: webhooks.map((name) => ({ name, clientConfig: { caBundle } })),
  };
  const path = `${collectionOf(of.kind)}/${of.name}`;
  const answer = await api.call("PATCH", `${path}?fieldManager=${FIELD_MANAGER}&force=true`, body);
  // Deleted, or made again, since it was read: the next look sees what is there.
  if (answer.status === 404 || answer.status === 409) return;
  if (answer.status !== 200) throw new ApiRefusal(path, answer);
}

function collectionOf(kind: ConfigurationKind): string {
  return `/apis/${GROUP}/${kind.toLowerCase()}s`;
}
