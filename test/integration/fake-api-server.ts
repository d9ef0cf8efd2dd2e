/**
 * A stand-in for the API server, in memory, for what a real one cannot be made to do at will: be silent, forget its
 * history, answer with rubbish, lose a watch. What a real one does is tested on a real one, in test/e2e.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { makeCertificates } from "../../src/tls/development-certificates.ts";

/** What it does wrong at the moment. */
export type Fault = "none" | "refuses" | "errors" | "silent" | "forbids" | "page" | "no list";

/** A running stand-in. */
export interface FakeApiServer {
  /** A kubeconfig that names it. */
  readonly kubeconfig: string;
  fault: Fault;
  /** Requests so far, as `GET /path`, without queries. */
  readonly requests: string[];
  /** Writes an object, whatever was there. */
  put(object: JsonObject): JsonObject;
  get(kind: string, namespace: string, name: string): JsonObject | undefined;
  remove(kind: string, namespace: string, name: string): void;
  /** Sends a line to all watches. */
  tell(line: string): void;
  /** Ends all watches; with `forgets` the states before are gone, so that nobody can go on from where they were. */
  dropWatches(forgets?: boolean): void;
  close(): Promise<void>;
}

interface Watcher {
  readonly resource: string;
  readonly name: string | undefined;
  readonly response: ServerResponse;
}

const RESOURCES: Readonly<Record<string, string>> = {
  GracePolicy: "gracepolicies",
  ConfigMap: "configmaps",
  Secret: "secrets",
  MutatingWebhookConfiguration: "mutatingwebhookconfigurations",
  ValidatingWebhookConfiguration: "validatingwebhookconfigurations",
};

/** Starts one on a free port of 127.0.0.1. */
export async function startFakeApiServer(): Promise<FakeApiServer> {
  const objects = new Map<string, JsonObject>();
  const watchers = new Set<Watcher>();
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let version = 100;
  let oldest = 0;

  const keyOf = (resource: string, namespace: string, name: string) => `${resource} ${namespace}/${name}`;
  const history: { readonly version: number; readonly resource: string; readonly event: JsonObject }[] = [];
  const sendTo = (watcher: Watcher, resource: string, event: JsonObject) => {
    const name = textAt(objectAt(objectAt(event, "object"), "metadata"), "name");
    const isFor = watcher.resource === resource && (watcher.name === undefined || watcher.name === name);
    if (isFor) watcher.response.write(`${JSON.stringify(event)}\n`);
  };
  const send = (resource: string, type: string, object: JsonObject) => {
    const event = { type, object };
    history.push({ version, resource, event });
    for (const watcher of watchers) sendTo(watcher, resource, event);
  };
  const store = (resource: string, object: JsonObject): JsonObject => {
    const metadata = objectAt(object, "metadata");
    const key = keyOf(resource, textAt(metadata, "namespace") ?? "", textAt(metadata, "name") ?? "");
    const before = objects.get(key);
    version++;
    const uid = textAt(objectAt(before, "metadata"), "uid") ?? `uid-${version}`;
    const stored = { ...object, metadata: { ...metadata, uid, resourceVersion: String(version) } };
    objects.set(key, stored);
    send(resource, before === undefined ? "ADDED" : "MODIFIED", stored);
    return stored;
  };
  const fake: FakeApiServer = {
    kubeconfig: "",
    fault: "none",
    requests,
    put: (object) => store(RESOURCES[textAt(object, "kind") ?? ""] ?? "", object),
    get: (kind, namespace, name) => objects.get(keyOf(RESOURCES[kind] ?? "", namespace, name)),
    remove(kind, namespace, name) {
      const resource = RESOURCES[kind] ?? "";
      const object = objects.get(keyOf(resource, namespace, name));
      if (object === undefined) return;
      objects.delete(keyOf(resource, namespace, name));
      version++;
      const metadata = { ...objectAt(object, "metadata"), resourceVersion: String(version) };
      send(resource, "DELETED", { ...object, metadata });
    },
    tell(line) {
      for (const { response } of watchers) response.write(`${line}\n`);
    },
    dropWatches(forgets = false) {
      if (forgets) oldest = ++version;
      for (const { response } of watchers) response.end();
      watchers.clear();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };

  const answer = (response: ServerResponse, status: number, body: JsonObject) =>
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  const refuse = (response: ServerResponse, code: number, message: string) =>
    answer(response, code, { kind: "Status", code, message });

  const list = (response: ServerResponse, resource: string, query: URLSearchParams): unknown => {
    const name = query.get("fieldSelector")?.replace("metadata.name=", "");
    if (query.has("watch")) {
      if (Number(query.get("resourceVersion")) < oldest) return refuse(response, 410, "too old resource version");
      const watcher = { resource, name, response };
      watchers.add(watcher);
      response.on("close", () => watchers.delete(watcher));
      response.writeHead(200, { "Content-Type": "application/json" });
      response.flushHeaders();
      const since = history.filter((past) => past.version > Number(query.get("resourceVersion")));
      for (const past of since) sendTo(watcher, past.resource, past.event);
      return undefined;
    }
    if (fake.fault === "page") return response.writeHead(200).end("<html>log in</html>");
    if (fake.fault === "no list") return answer(response, 200, { kind: "Status" });
    const all = [...objects]
      .filter(([key, object]) => {
        const isNamed = name === undefined || textAt(objectAt(object, "metadata"), "name") === name;
        return key.startsWith(`${resource} `) && isNamed;
      })
      .map(([, object]) => object);
    const from = Number(query.get("continue") ?? 0);
    const page = all.slice(from, from + Number(query.get("limit") ?? all.length));
    const next = from + page.length < all.length ? { continue: String(from + page.length) } : {};
    return answer(response, 200, { items: page, metadata: { resourceVersion: String(version), ...next } });
  };

  const handle = (request: IncomingMessage, response: ServerResponse, body: JsonObject): unknown => {
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    requests.push(`${request.method} ${url.pathname}`);
    if (fake.fault === "refuses") return request.socket.destroy();
    if (fake.fault === "silent") return undefined;
    if (fake.fault === "errors") return response.writeHead(500).end("<html>not today</html>");
    if (fake.fault === "forbids") return refuse(response, 403, "forbidden: you may not");
    const [, namespace = "", resource = "", name] =
      /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/([^/]+)\/)?([^/]+)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    if (name === undefined && request.method === "GET") return list(response, resource, url.searchParams);
    const wanted = name ?? textAt(objectAt(body, "metadata"), "name") ?? "";
    const object = objects.get(keyOf(resource, namespace, wanted));
    if (request.method === "POST") {
      if (object !== undefined) return refuse(response, 409, "it is there already");
      return answer(response, 201, store(resource, body));
    }
    if (object === undefined) return refuse(response, 404, `${resource} "${wanted}" not found`);
    if (request.method === "GET") return answer(response, 200, object);
    if (request.method === "PATCH") return answer(response, 200, store(resource, applied(object, body)));
    const theirs = textAt(objectAt(body, "metadata"), "resourceVersion");
    if (theirs !== textAt(objectAt(object, "metadata"), "resourceVersion"))
      return refuse(response, 409, "it was changed");
    return answer(response, 200, store(resource, body));
  };

  const made = await makeCertificates(["127.0.0.1"], 1);
  const server = createServer({ cert: made.cert, key: made.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      handle(request, response, text === "" ? {} : (JSON.parse(text) as JsonObject));
    });
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(join(tmpdir(), "gracegate-fake-"));
  const kubeconfig = join(folder, "kubeconfig");
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name: "c",
          cluster: {
            server: `https://127.0.0.1:${port}`,
            "certificate-authority-data": Buffer.from(made.caCert).toString("base64"),
          },
        },
      ],
      users: [{ name: "u", user: { token: "t" } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
  return Object.assign(fake, { kubeconfig });
}

/** What a server-side apply of caBundles does: fields of webhooks with the same name are merged. */
function applied(object: JsonObject, patch: JsonObject): JsonObject {
  const webhooks = objectsAt(object, "webhooks").map((webhook) => {
    const ours = objectsAt(patch, "webhooks").find((one) => one.name === webhook.name);
    const clientConfig = { ...objectAt(webhook, "clientConfig"), ...objectAt(ours, "clientConfig") };
    return isObject(ours) ? { ...webhook, clientConfig } : webhook;
  });
  return { ...object, webhooks };
}
