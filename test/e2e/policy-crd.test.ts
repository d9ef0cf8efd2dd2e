/**
 * The CRD on a real API server: it refuses what the code refuses, and says which field; and what it takes, the code takes.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import * as fc from "fast-check";
import { parse, parseAllDocuments } from "yaml";
import { isObject, type JsonObject, type JsonValue, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { policyObject, validatePolicy } from "../../src/policy/validate.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { arbitrarySpec } from "./arbitrary-policy.ts";
import { type Component, etcd, kubectl, kubernetes } from "./install/components.ts";

/** The version that the chart is tested with, and a newer one. */
const VERSIONS = ["1.35.4", "1.37.2"] as const;

const etcdServer = etcd();
const kubectlBinary = kubectl(VERSIONS[0]);

const PATH = "/apis/gracegate.dev/v1alpha1/namespaces/default/gracepolicies";

/** A spec, the field that is wrong in it, and a part of what is said about it. */
type Wrong = readonly [spec: JsonObject, field: string, says: RegExp];

const gateway = (fields: JsonObject): JsonObject => ({ gateway: fields });
const sidecar = (fields: JsonObject): JsonObject => ({ sidecar: fields });
const lb = (fields: JsonObject) => gateway({ loadBalancer: fields });
const hc = (fields: JsonObject) => gateway({ hc: fields });
const condition = (fields: JsonObject): JsonObject => ({ selector: { matchExpressions: [{ key: "app", ...fields }] } });
const day = /at most 24h|less than or equal to 86400/;
const negative = /greater than or equal to 0|should match/;

const wrong: readonly Wrong[] = [
  [{ mode: "enforce" }, "spec.mode", /supported values: "Enforce"/],
  [{ mode: true }, "spec.mode", /must be of type string/],
  [{ invalid: "Refuse" }, "spec.invalid", /supported values/],
  [{ selector: [] }, "spec.selector", /must be of type object/],
  [{ selector: { matchLabels: { app: 1 } } }, "spec.selector.matchLabels.app", /must be of type string/],
  [{ selector: { matchLabels: { app: "x".repeat(64) } } }, "spec.selector.matchLabels.app", /63/],
  [condition({ operator: "In" }), "spec.selector.matchExpressions[0].values", /In and NotIn need at least one value/],
  [condition({ operator: "In", values: [] }), "spec.selector.matchExpressions[0].values", /is empty/],
  [condition({ operator: "NotIn" }), "spec.selector.matchExpressions[0].values", /is empty/],
  [condition({ operator: "Exists", values: ["a"] }), "spec.selector.matchExpressions[0].values", /must be empty/],
  [condition({ operator: "DoesNotExist", values: ["a"] }), "spec.selector.matchExpressions[0].values", /must be empty/],
  [condition({ operator: "Equals" }), "spec.selector.matchExpressions[0].operator", /supported values/],
  [{ selector: { matchLabels: { app: "a b" } } }, "spec.selector.matchLabels.app", /should match/],
  [{ selector: { matchLabels: { app: "-a" } } }, "spec.selector.matchLabels.app", /should match/],
  [{ selector: { matchLabels: { "a b": "c" } } }, "spec.selector.matchLabels", /a key that is no name of a label/],
  [{ selector: { matchLabels: { "A.b/c": "c" } } }, "spec.selector.matchLabels", /a key that is no name of a label/],
  [{ selector: { matchLabels: { [`${"x".repeat(254)}/c`]: "c" } } }, "spec.selector.matchLabels", /no name of a label/],
  [{ selector: { matchLabels: { [`a/${"x".repeat(64)}`]: "c" } } }, "spec.selector.matchLabels", /no name of a label/],
  [condition({ operator: "In", values: ["a", "b/c"] }), "spec.selector.matchExpressions[0].values[1]", /should match/],
  [condition({ key: "a/b/c", operator: "Exists" }), "spec.selector.matchExpressions[0].key", /should match/],
  [{ selector: { matchExpressions: [{ operator: "Exists" }] } }, "spec.selector.matchExpressions[0].key", /Required/],
  [gateway({ drainTimeout: "36 sec" }), "spec.gateway.drainTimeout", /should match/],
  [gateway({ drainTimeout: -1 }), "spec.gateway.drainTimeout", negative],
  [gateway({ drainTimeout: "-1s" }), "spec.gateway.drainTimeout", negative],
  [gateway({ drainTimeout: "25h" }), "spec.gateway.drainTimeout", day],
  [gateway({ drainTimeout: "86401" }), "spec.gateway.drainTimeout", day],
  [gateway({ drainTimeout: 86_401 }), "spec.gateway.drainTimeout", day],
  [gateway({ drainTimeout: "99999999999999999999" }), "spec.gateway.drainTimeout", day],
  [gateway({ drainTimeout: "23h59m61s" }), "spec.gateway.drainTimeout", day],
  [gateway({ requestP99: "" }), "spec.gateway.requestP99", /should match/],
  [gateway({ requestP99: 1.5 }), "spec.gateway.requestP99", /must be of type integer|should be/],
  [gateway({ margin: "1d" }), "spec.gateway.margin", /should match/],
  [gateway({ maxGracePeriod: true }), "spec.gateway.maxGracePeriod", /must be of type/],
  [gateway({ proxyStop: "Wait" }), "spec.gateway.proxyStop", /supported values/],
  [gateway({ retireConnections: "yes" }), "spec.gateway.retireConnections", /must be of type boolean/],
  [gateway({ exitOnZeroActiveConnections: "true" }), "spec.gateway.exitOnZeroActiveConnections", /type boolean/],
  [
    gateway({ proxyStatsMatcher: { inclusionPrefixes: "http" } }),
    "spec.gateway.proxyStatsMatcher.inclusionPrefixes",
    /array/,
  ],
  [lb({ profile: "F5" }), "spec.gateway.loadBalancer.profile", /supported values/],
  [lb({ checkInterval: 0 }), "spec.gateway.loadBalancer.checkInterval", /greater than or equal to 1/],
  [lb({ checkInterval: "0s" }), "spec.gateway.loadBalancer.checkInterval", /needs a pause/],
  [lb({ checkInterval: "000" }), "spec.gateway.loadBalancer.checkInterval", /needs a pause/],
  [lb({ checkFall: 0 }), "spec.gateway.loadBalancer.checkFall", /greater than or equal to 1/],
  [lb({ checkRise: 101 }), "spec.gateway.loadBalancer.checkRise", /less than or equal to 100/],
  [lb({ answers: { closing: { status: 99 } } }), "spec.gateway.loadBalancer.answers.closing.status", /200/],
  [lb({ answers: { draining: { body: "x".repeat(257) } } }), "spec.gateway.loadBalancer.answers.draining.body", /256/],
  [hc({ port: 70_000 }), "spec.gateway.hc.port", /less than or equal to 65535/],
  [hc({ port: 8080, controlPort: 8080 }), "spec.gateway.hc.controlPort", /port and controlPort must differ/],
  [hc({ port: 8080, metricsPort: 8080 }), "spec.gateway.hc.metricsPort", /port and metricsPort must differ/],
  [hc({ controlPort: 9, metricsPort: 9 }), "spec.gateway.hc.metricsPort", /controlPort and metricsPort must differ/],
  [hc({ image: "" }), "spec.gateway.hc.image", /should match|at least 1/],
  [hc({ pollInterval: "0ms" }), "spec.gateway.hc.pollInterval", /needs a pause/],
  [hc({ healthPaths: ["health"] }), "spec.gateway.hc.healthPaths[0]", /should match/],
  [hc({ extraEnv: [{ value: "x" }] }), "spec.gateway.hc.extraEnv[0].name", /Required/],
  [hc({ extraEnv: [{ name: "a b" }] }), "spec.gateway.hc.extraEnv[0].name", /should match/],
  [hc({ extraEnv: [{ name: "LB_BUFFER", value: "9" }] }), "spec.gateway.hc.extraEnv", /another field of the policy/],
  [hc({ logLevel: "trace" }), "spec.gateway.hc.logLevel", /supported values/],
  [hc({ resources: { requests: { memory: "64 MB" } } }), "spec.gateway.hc.resources.requests.memory", /should match/],
  [hc({ resources: { requests: { cpu: -1 } } }), "spec.gateway.hc.resources.requests.cpu", negative],
  [
    hc({ resources: { requests: { cpu: "1100m" }, limits: { cpu: 1 } } }),
    "spec.gateway.hc.resources.requests",
    /must not be more than the limits/,
  ],
  [hc({ resources: { limits: { memory: "5Gi" } } }), "spec.gateway.hc.resources.limits.memory", /at most 4Gi/],
  [hc({ resources: { requests: { cpu: 5 } } }), "spec.gateway.hc.resources.requests.cpu", /at most 4/],
  [
    hc({ resources: { limits: { "ephemeral-storage": "10241Mi" } } }),
    "spec.gateway.hc.resources.limits.ephemeral-storage",
    /at most 10Gi/,
  ],
  [{ delegate: ["hc.port"] }, "spec.delegate[0]", /supported values/],
  [{ delegate: ["hc.image"], selector: {} }, "spec.delegate", /stands beside a selector/],
  [sidecar({ proxyStop: "Hold" }), "spec.sidecar.proxyStop", /supported values/],
  [sidecar({ applicationPreStopSleep: "1 s" }), "spec.sidecar.applicationPreStopSleep", /should match/],
  [sidecar({ drainTimeout: "1441m" }), "spec.sidecar.drainTimeout", day],
];

let api: ApiServer;

for (const version of VERSIONS) suite(version, kubernetes("kube-apiserver", version));

function suite(version: string, apiserver: Component): void {
  describe(`the CRD on kube-apiserver ${version}`, { skip: apiserver.missing ?? etcdServer.missing ?? false }, () => {
    before(async () => {
      api = await startApiServer({ apiserver: apiserver.path, etcd: etcdServer.path });
      await establish();
    });

    after(async () => api?.stop());

    for (const [spec, field, says] of wrong) {
      it(`refuses ${JSON.stringify(spec).slice(0, 90)} and names ${field}`, async () => {
        const answer = await create(spec);
        assert.equal(answer.status, 422, JSON.stringify(answer.body));
        const causes = objectsAt(objectAt(answer.body, "details"), "causes");
        const cause = causes.find((one) => one.field === field && says.test(textAt(one, "message") ?? ""));
        assert.ok(cause, `no cause about ${field} among ${JSON.stringify(causes, null, 1)}`);
        assert.match(textAt(answer.body, "message") ?? "", new RegExp(field.replaceAll(/[.[\]]/g, "\\$&")));
        assert.equal(validatePolicy(policyObject("a", "default", spec)).ok, false, "the code takes it");
      });
    }

    it("refuses a field that it does not know where the client asks for strictness", async () => {
      const answer = await create({ gateway: { drainTime: "36s" } }, "&fieldValidation=Strict");
      assert.equal(answer.status, 400);
      assert.match(textAt(answer.body, "message") ?? "", /unknown field "spec.gateway.drainTime"/);
    });

    it("what it takes, the code takes, and the other way round", { timeout: 300_000 }, async () => {
      let taken = 0;
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(arbitrarySpec, async (spec) => {
          const answer = await create(spec);
          const ours = validatePolicy(policyObject("a", "default", spec));
          runs++;
          if (answer.status !== 201) {
            assert.equal(answer.status, 422, JSON.stringify(answer.body));
            assert.ok(!ours.ok, `the code takes what the API server refuses: ${textAt(answer.body, "message")}`);
            return;
          }
          taken++;
          const stored = validatePolicy(answer.body);
          assert.ok(stored.ok, `the API server takes what the code refuses: ${JSON.stringify(stored)}`);
          assert.ok(ours.ok);
        }),
        { numRuns: 1500 },
      );
      assert.ok(taken > runs / 10 && taken < runs * 0.95, `${taken} of ${runs} were taken: the property says little`);
      process.stderr.write(`${taken} of ${runs} arbitrary policies were taken\n`);
    });

    it("the examples are taken", async () => {
      for (const file of ["examples/policies/edge.yaml", "examples/policies/shop.yaml"]) {
        for (const document of parseAllDocuments(readFileSync(file, "utf8"))) {
          const answer = await create(objectAt(document.toJS() as JsonObject, "spec"));
          assert.equal(answer.status, 201, `${file}: ${JSON.stringify(answer.body)}`);
        }
      }
    });

    it("kubectl explain tells what each field is", { skip: kubectlBinary.missing ?? false }, () => {
      const explain = (path: string) =>
        execFileSync(kubectlBinary.path, ["--kubeconfig", api.kubeconfig(), "explain", path], { encoding: "utf8" });
      assert.match(explain("gp"), /How the pods of a namespace start and stop without losing a request/);
      const drain = explain("gp.spec.gateway.drainTimeout").replaceAll(/\s+/g, " ");
      assert.match(drain, /Longest wait for in-flight requests/);
      const text = explain("gp.spec.gateway");
      for (const field of ["requestP99", "drainTimeout", "loadBalancer", "hc", "margin"])
        assert.match(text, new RegExp(field));
      assert.ok(everyFieldIsDescribed(crdSchema()), "a field has no description");
    });

    it("kubectl get shows the budget's inputs", { skip: kubectlBinary.missing ?? false }, async () => {
      const spec = { mode: "Enforce", gateway: { requestP99: 30, loadBalancer: { profile: "f5" } } };
      const made = await api.call("POST", PATH, policyObject("shown", "default", spec));
      assert.equal(made.status, 201);
      const args = ["--kubeconfig", api.kubeconfig(), "get", "gp", "shown"];
      const [head = "", row = ""] = execFileSync(kubectlBinary.path, args, { encoding: "utf8" }).split("\n");
      assert.match(head, /NAME +MODE +PROFILE +GATEWAY-P99 +GATEWAY-DRAIN +SIDECAR-P99 +SIDECAR-DRAIN +AGE/);
      assert.match(row, /shown +Enforce +f5 +30 /);
    });
  });
}

function create(spec: JsonObject, query = "") {
  return api.call("POST", `${PATH}?dryRun=All${query}`, policyObject("a", "default", spec));
}

function crd(): JsonObject {
  return parse(readFileSync("charts/gracegate/crds/gracepolicies.yaml", "utf8")) as JsonObject;
}

function crdSchema(): JsonObject {
  const [version] = objectsAt(objectAt(crd(), "spec"), "versions");
  return objectAt(objectAt(objectAt(objectAt(version, "schema"), "openAPIV3Schema"), "properties"), "spec");
}

function everyFieldIsDescribed(schema: JsonValue): boolean {
  if (!isObject(schema)) return true;
  const below = Object.values(objectAt(schema, "properties"));
  return textAt(schema, "description") !== undefined && below.every(everyFieldIsDescribed);
}

async function establish(): Promise<void> {
  const answer = await api.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd());
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  for (let round = 0; round < 200; round++) {
    const probe = await create({});
    if (probe.status === 201) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the CRD was not served in 10 s");
}
