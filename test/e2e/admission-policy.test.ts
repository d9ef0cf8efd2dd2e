/**
 * The chart's ValidatingAdmissionPolicy on a real API server: the webhook's ServiceAccount, which here may do anything by
 * RBAC, changes caBundle in its own configurations, keeps its own Secret, and nothing else.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isObject, type JsonObject, type JsonValue, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { eventually } from "../integration/webhook-process.ts";
import { type ApiAnswer, type ApiServer, startApiServer } from "./api-server.ts";
import { CLUSTER_NAME, NAMESPACE } from "./chart.ts";
import { type Component, etcd, helm, kubernetes } from "./install/components.ts";
import { ACCOUNT, CONFIGURATION, create, install, SECRET } from "./installed.ts";

const VERSIONS = ["1.35.4", "1.37.2"];
const REVIEW = CONFIGURATION.replace("mutating", "validating");
const SECRETS = SECRET.replace(/\/[^/]+$/, "");
const JSON_PATCH = "application/json-patch+json";
const DENIED = /ValidatingAdmissionPolicy .* denied request: the webhook may/;

const helmBinary = helm();
const etcdServer = etcd();

let api: ApiServer;

for (const version of VERSIONS) suite(version, kubernetes("kube-apiserver", version));

function suite(version: string, apiserver: Component): void {
  const skip = helmBinary.missing ?? apiserver.missing ?? etcdServer.missing ?? false;
  describe(`the ServiceAccount under the chart's admission policy, kube-apiserver ${version}`, { skip }, () => {
    before(async () => {
      api = await startApiServer({ apiserver: apiserver.path, etcd: etcdServer.path }, [ACCOUNT]);
      await install(api, helmBinary.path, "localhost:1");
      await makeAdministrator();
      // A policy is in force a moment after it is stored.
      await eventually(async () => isDenied(await patch(CONFIGURATION, [labelled()], "?dryRun=All")), 30_000);
    });

    after(async () => api?.stop());

    for (const path of [CONFIGURATION, REVIEW]) {
      const kind = path === CONFIGURATION ? "mutating" : "validating";

      it(`changes every caBundle of its ${kind} configuration, in each way that there is`, async () => {
        const names = objectsAt((await api.call("GET", path)).body, "webhooks").map(({ name }) => name as string);
        const apply = (bundle: string) => ({
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: `${kind === "mutating" ? "Mutating" : "Validating"}WebhookConfiguration`,
          metadata: { name: CLUSTER_NAME },
          webhooks: names.map((name) => ({ name, clientConfig: { caBundle: encoded(bundle) } })),
        });
        const url = `${path}?fieldManager=gracegate-certificates&force=true`;
        await taken(as("PATCH", url, apply("applied")), path, "applied");
        const operations = names.map((_, at) => ({
          op: "replace",
          path: `/webhooks/${at}/clientConfig/caBundle`,
          value: encoded("patched"),
        }));
        await taken(patch(path, operations), path, "patched");
        const { body } = await api.call("GET", path);
        const webhooks = objectsAt(body, "webhooks").map((webhook) => ({
          ...webhook,
          clientConfig: { ...objectAt(webhook, "clientConfig"), caBundle: encoded("put") },
        }));
        await taken(as("PUT", path, { ...body, webhooks }), path, "put");
        await taken(as("PATCH", url, apply("applied again")), path, "applied again");
      });

      it(`changes, removes and adds no other field of its ${kind} configuration`, { timeout: 120_000 }, async () => {
        const { body: before } = await api.call("GET", path);
        let denied = 0;
        for (const operation of changesOf(before)) {
          const answer = await patch(path, [operation]);
          if (isDenied(answer)) denied++;
          // Where nothing changes, such as a kind that is left out, there is nothing to deny.
          else if (answer.status === 200) assert.deepEqual(answer.body, before, JSON.stringify(operation));
          // What the API server itself refuses does not come as far as the policy.
          else assert.ok([400, 422].includes(answer.status), `${JSON.stringify(operation)}: ${JSON.stringify(answer)}`);
        }
        assert.ok(denied > 30, `the policy denied ${denied} changes only`);
        const { body: now } = await api.call("GET", path);
        assert.deepEqual(now, before);
      });

      it(`applies nothing else to its ${kind} configuration, and neither makes nor deletes one`, async () => {
        const kindName = `${kind === "mutating" ? "Mutating" : "Validating"}WebhookConfiguration`;
        const head = { apiVersion: "admissionregistration.k8s.io/v1", kind: kindName };
        const force = `${path}?fieldManager=x&force=true`;
        const name = textAt(objectsAt((await api.call("GET", path)).body, "webhooks")[0], "name") ?? "";
        const applies: readonly JsonObject[] = [
          { ...head, metadata: { name: CLUSTER_NAME, labels: { a: "b" } } },
          {
            ...head,
            metadata: { name: CLUSTER_NAME },
            webhooks: [{ name, failurePolicy: "Fail", timeoutSeconds: 30 }],
          },
          { ...head, metadata: { name: CLUSTER_NAME }, webhooks: [{ name, rules: [{ ...EVERYTHING }] }] },
          { ...head, metadata: { name: CLUSTER_NAME }, webhooks: [{ name, namespaceSelector: {} }] },
        ];
        for (const body of applies) assertDenied(await as("PATCH", force, body), JSON.stringify(body));
        const other = path.replace(CLUSTER_NAME, "other");
        const made = { ...head, metadata: { name: "other" }, webhooks: [] };
        assertDenied(await as("PATCH", `${other}?fieldManager=x&force=true`, made), "an apply that makes one");
        assertDenied(await as("POST", path.replace(/\/[^/]+$/, ""), made), "a creation");
        assertDenied(await as("DELETE", path), "a deletion");
        assertDenied(await as("DELETE", path.replace(/\/[^/]+$/, "")), "a deletion of all");
      });

      it(`does not touch another ${kind} configuration`, async () => {
        const other = path.replace(CLUSTER_NAME, "istio-sidecar-injector");
        const { body } = await api.call("GET", path);
        const { resourceVersion: _, uid: __, managedFields: ___, ...metadata } = objectAt(body, "metadata");
        const copy = { ...body, metadata: { ...metadata, name: "istio-sidecar-injector" } };
        assert.equal((await api.call("POST", path.replace(/\/[^/]+$/, ""), copy)).status, 201);
        const operation = { op: "replace", path: "/webhooks/0/clientConfig/caBundle", value: encoded("stolen") };
        assertDenied(await patch(other, [operation]), "another one's caBundle");
        assertDenied(await as("DELETE", other), "another one's deletion");
      });
    }

    it("makes and updates its own Secret, and no other", async () => {
      const secret = (name: string, type = "kubernetes.io/tls", more: JsonObject = {}): JsonObject => ({
        apiVersion: "v1",
        kind: "Secret",
        type,
        metadata: { name, namespace: NAMESPACE, ...more },
        ...(type === "kubernetes.io/tls" ? { data: { "tls.crt": "", "tls.key": "" } } : {}),
      });
      const token = { annotations: { "kubernetes.io/service-account.name": "gracegate" } };
      assertDenied(await as("POST", SECRETS, secret("other")), "another Secret");
      assertDenied(await as("POST", SECRETS, secret("gracegate-tls", "Opaque")), "its Secret of another type");
      assertDenied(
        await as("POST", SECRETS, secret("gracegate-tls", "kubernetes.io/service-account-token", token)),
        "its Secret as somebody's token",
      );
      const { metadata: _, ...unnamed } = secret("x");
      assertDenied(
        await as("POST", SECRETS, { ...unnamed, metadata: { generateName: "gracegate-tls" } }),
        "a name made up",
      );
      const elsewhere = SECRETS.replace(NAMESPACE, "istio-system");
      const { namespace: __, ...metadata } = objectAt(secret("gracegate-tls"), "metadata");
      assertDenied(await as("POST", elsewhere, { ...secret("gracegate-tls"), metadata }), "a Secret elsewhere");

      assert.equal((await as("POST", SECRETS, secret("gracegate-tls"))).status, 201);
      const { body } = await api.call("GET", SECRET);
      assert.equal(
        (await as("PUT", SECRET, { ...body, data: { ...objectAt(body, "data"), "tls.crt": "eA==" } })).status,
        200,
      );
      await create(api, secret("others"), SECRETS);
      assertDenied(
        await as("PATCH", `${SECRETS}/others`, { data: { "tls.crt": "eA==" } }, "application/merge-patch+json"),
        "somebody's Secret",
      );
      assertDenied(await as("DELETE", `${SECRETS}/others`), "somebody's Secret deleted");
      assertDenied(await as("DELETE", SECRET), "its own Secret deleted");
    });

    it("is the only one whom the policy is about", async () => {
      const asAdmin = (path: string) => api.call("PATCH", path, [labelled()] as unknown as JsonObject, JSON_PATCH);
      assert.equal((await asAdmin(`${CONFIGURATION}?dryRun=All`)).status, 200);
      const metadata = { name: "anybodys", namespace: NAMESPACE };
      await create(api, { apiVersion: "v1", kind: "Secret", metadata }, SECRETS);
    });
  });
}

const EVERYTHING = { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] };

/** Every field changed, removed, and another one added beside it; but for caBundle, and what the API server writes itself. */
function* changesOf(object: JsonObject): Iterable<JsonObject> {
  const ours = /^\/(metadata\/(managedFields|generation|resourceVersion)|webhooks\/\d+\/clientConfig\/caBundle)/;
  const visit = function* (value: JsonValue, path: string): Iterable<JsonObject> {
    if (ours.test(path)) return;
    if (path !== "") {
      yield { op: "remove", path };
      for (const other of othersThan(value)) yield { op: "replace", path, value: other };
    }
    const inner = Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
    for (const [key, field] of inner) {
      yield* visit(field, `${path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`);
    }
    if (Array.isArray(value) && value.length > 0) yield { op: "add", path: `${path}/-`, value: value[0] ?? null };
  };
  yield* visit(object, "");
  for (const field of ["annotations", "finalizers", "ownerReferences"]) {
    const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u" };
    const value = field === "annotations" ? { a: "b" } : field === "finalizers" ? ["a.example/b"] : [owner];
    yield { op: "add", path: `/metadata/${field}`, value };
  }
  yield { op: "add", path: "/webhooks/0/matchConditions", value: [{ name: "never", expression: "false" }] };
}

/** Values of the same type. */
function othersThan(value: JsonValue): readonly JsonValue[] {
  switch (typeof value) {
    case "string":
      return [`${value}x`, OTHER_WORDS[value] ?? "other"];
    case "number":
      return [value + 1];
    case "boolean":
      return [!value];
    default:
      return Array.isArray(value) ? [[]] : [{}];
  }
}

/** Words for which the API server would refuse another one that is none of its own. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  Ignore: "Fail",
  Fail: "Ignore",
  IfNeeded: "Never",
  Equivalent: "Exact",
  Namespaced: "*",
  None: "NoneOnDryRun",
  In: "NotIn",
  NotIn: "In",
  CREATE: "*",
  v1: "v1beta1",
};

const labelled = (): JsonObject => ({ op: "add", path: "/metadata/labels/a", value: "b" });

function as(method: string, path: string, body?: JsonObject, type?: string): Promise<ApiAnswer> {
  return api.callAs(ACCOUNT, method, path, body, type);
}

function patch(path: string, operations: readonly JsonObject[], query = ""): Promise<ApiAnswer> {
  return as("PATCH", `${path}${query}`, operations as unknown as JsonObject, JSON_PATCH);
}

function isDenied({ status, body }: ApiAnswer): boolean {
  return status === 422 && DENIED.test(textAt(body, "message") ?? "");
}

function assertDenied(answer: ApiAnswer, what: string): void {
  assert.ok(isDenied(answer), `${what}: ${JSON.stringify(answer)}`);
}

async function taken(answer: Promise<ApiAnswer>, path: string, bundle: string): Promise<void> {
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
  const webhooks = objectsAt((await api.call("GET", path)).body, "webhooks");
  const bundles = webhooks.map((webhook) => textAt(objectAt(webhook, "clientConfig"), "caBundle"));
  assert.deepEqual(new Set(bundles), new Set([encoded(bundle)]));
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Gives the account every permission, so that nothing but the policy refuses. */
async function makeAdministrator(): Promise<void> {
  const [namespace = "", name = ""] = ACCOUNT.split(":");
  const group = "rbac.authorization.k8s.io";
  await create(api, {
    apiVersion: `${group}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: "everything" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", namespace, name }],
  });
}
