/**
 * The Secret of the webhook's certificates in the API server. Its resourceVersion is the lock between replicas.
 */
import { isObject, type JsonObject, objectAt, textAt } from "../pod/json.ts";
import type { SecretData } from "../tls/self-managed-certificates.ts";
import type { SecretStore, StoredSecret } from "../tls/self-source.ts";
import { ApiRefusal, type ClusterApi } from "./api.ts";
import { watchNamed, watchTimes } from "./watched-list.ts";

/** Keeps certificates in a Secret. */
export function secretStore(
  api: ClusterApi,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  times = watchTimes,
): SecretStore {
  const collection = `/api/v1/namespaces/${namespace}/secrets`;
  const path = `${collection}/${name}`;
  let last: JsonObject | undefined;
  return {
    name: `Secret ${namespace}/${name}`,
    now: () => api.now(),
    async read() {
      const answer = await api.call("GET", path);
      if (answer.status === 404) return undefined;
      if (answer.status !== 200) throw new ApiRefusal(path, answer);
      last = answer.body;
      const version = textAt(objectAt(answer.body, "metadata"), "resourceVersion") ?? "";
      return { data: decoded(objectAt(answer.body, "data")), version };
    },
    async write(data, over) {
      const answer =
        over === undefined
          ? await api.call("POST", collection, newSecret(namespace, name, data))
          : await api.call("PUT", path, changed(last, data, over));
      if (answer.status === 200 || answer.status === 201) return true;
      // Another replica was quicker, or the Secret went away: look again.
      if (answer.status === 409 || (answer.status === 404 && over !== undefined)) return false;
      throw new ApiRefusal(path, answer);
    },
    follow: (onChange, onUnreachable, signal) =>
      watchNamed(api, { path: collection, name }, { onChange, onUnreachable }, signal, times),
  };
}

function newSecret(namespace: string, name: string, data: SecretData): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/tls",
    metadata: { name, namespace, labels: { "app.kubernetes.io/managed-by": "gracegate" } },
    data: encoded(data),
  };
}

/** The Secret with other certificates; labels and keys of others stay. */
function changed(last: JsonObject | undefined, data: SecretData, { version }: StoredSecret): JsonObject {
  const kept = { ...objectAt(last, "data"), ...encoded(data) };
  for (const [key, text] of Object.entries(data)) if (text === "") delete kept[key];
  return {
    ...last,
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...objectAt(last, "metadata"), resourceVersion: version },
    data: kept,
  };
}

function encoded(data: SecretData): Record<string, string> {
  const entries = Object.entries(data).filter(([, text]) => text !== "");
  return Object.fromEntries(entries.map(([key, text]) => [key, Buffer.from(text).toString("base64")]));
}

function decoded(data: JsonObject): SecretData {
  if (!isObject(data)) return {};
  const entries = Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(entries.map(([key, text]) => [key, Buffer.from(text, "base64").toString()]));
}
