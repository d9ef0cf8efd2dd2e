import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { gatewayPod, optionsFor, plainPod, sidecarPod } from "../../test/unit/pods.ts";
import { isObject, type JsonObject, type JsonValue, objectAt } from "../pod/json.ts";
import { parseManifest } from "./document.ts";
import { type InjectOptions, injectDocument } from "./inject.ts";
import { lineAt } from "./line.ts";
import { chunksOf } from "./stream.ts";
import { valueIn, workloadsOf } from "./workload.ts";

const options: InjectOptions = { ...optionsFor(), namespace: "shop", role: undefined };

function inject(text: string, more: Partial<InjectOptions> = {}) {
  return injectDocument({ text, line: 1 }, { ...options, ...more });
}

const template = { metadata: sidecarPod().metadata ?? null, spec: sidecarPod().spec ?? null };
const object = (apiVersion: string, kind: string, spec: JsonObject) => ({
  apiVersion,
  kind,
  metadata: { name: "web" },
  spec,
});

const kinds: readonly [JsonObject, path: string][] = [
  [sidecarPod(), ""],
  [object("v1", "ReplicationController", { template }), "spec template"],
  [object("apps/v1", "Deployment", { template }), "spec template"],
  [object("apps/v1", "StatefulSet", { template }), "spec template"],
  [object("apps/v1", "DaemonSet", { template }), "spec template"],
  [object("apps/v1", "ReplicaSet", { template }), "spec template"],
  [object("batch/v1", "Job", { template }), "spec template"],
  [object("batch/v1", "CronJob", { jobTemplate: { spec: { template } } }), "spec jobTemplate spec template"],
  [object("argoproj.io/v1alpha1", "Rollout", { template }), "spec template"],
];

describe("injectDocument", () => {
  for (const [manifest, path] of kinds) {
    it(`changes the pod of a ${manifest.kind}, in a List too`, () => {
      for (const [text, at] of [
        [JSON.stringify(manifest), []],
        [JSON.stringify({ apiVersion: "v1", kind: "List", items: [{ kind: "Secret" }, manifest] }), ["items", 1]],
      ] as const) {
        const result = inject(text);
        const pod = valueIn(JSON.parse(result.text), [...at, ...path.split(" ").filter((step) => step !== "")]);
        assert.match(String(objectAt(objectAt(pod, "metadata"), "annotations")["gracegate.dev/status"]), /"sidecar"/);
        assert.equal(inject(result.text).text, result.text);
      }
    });
  }

  const untouched: readonly [name: string, value: JsonValue][] = [
    ["a kind that makes no pods", { apiVersion: "v1", kind: "Service", spec: { template } }],
    ["a kind of another group", object("example.com/v1", "Deployment", { template })],
    ["a Rollout whose template stands elsewhere", object("argoproj.io/v1alpha1", "Rollout", { workloadRef: {} })],
    ["a pod that wants none", plainPod({ labels: { "gracegate.dev/inject": "false" } })],
    ["a Deployment without a pod spec", object("apps/v1", "Deployment", { template: { metadata: {} } })],
    ["a text", "hello"],
  ];
  for (const [name, value] of untouched) {
    it(`leaves ${name} as it is`, () => {
      const text = JSON.stringify(value);
      assert.equal(inject(text).text, text);
    });
  }

  it("leaves namespaces alone that the webhook never sees", () => {
    const text = JSON.stringify(plainPod());
    for (const namespace of ["kube-system", "gracegate"]) {
      const { text: result, workloads } = inject(text, { namespace });
      assert.equal(result, text);
      assert.match(workloads[0]?.skipped ?? "", new RegExp(`never sees the namespace ${namespace}`));
    }
  });

  it("writes the role that was asked for", () => {
    const result = JSON.parse(inject(JSON.stringify(plainPod()), { role: "gateway" }).text);
    assert.equal(result.metadata.annotations["gracegate.dev/role"], "gateway");
    assert.match(result.metadata.annotations["gracegate.dev/status"], /"role":"gateway"/);
  });

  it("takes the object's own namespace before the option's", () => {
    const pod = { ...gatewayPod(), metadata: { name: "gw", namespace: "edge" } };
    assert.equal(inject(JSON.stringify(pod)).workloads[0]?.namespace, "edge");
  });

  for (const [what, metadata] of [
    ["annotations", "metadata: { annotations: [x, y] }"],
    ["metadata", "metadata: [x]"],
  ] as const) {
    it(`leaves a pod whose ${what} are a list as it is, and says why`, () => {
      const text = `apiVersion: v1\nkind: Pod\n${metadata}\nspec: { containers: [{ name: a, image: a }] }\n`;
      const { text: result, workloads } = inject(text);
      assert.equal(result, text);
      assert.match(
        workloads[0]?.skipped ?? "",
        new RegExp(`^the pod's metadata.*${what} is no mapping`.replace("metadata.*metadata", "metadata")),
      );
    });
  }

  it("gives a broken document back as it came", () => {
    const text = "kind: Pod\nspec: {{ x }}\n";
    const { text: result, broken } = inject(text);
    assert.equal(result, text);
    assert.equal(broken?.line, 2);
  });
});

describe("lineAt", () => {
  it("finds an item of a List, and the nearest parent of what is not written", () => {
    const manifest = parseManifest({ text: "# c\nkind: List\nitems:\n  - kind: A\n  - kind: B\n", line: 10 });
    assert.ok(manifest.ok);
    assert.equal(lineAt(manifest, ["items", 1]), 14);
    assert.equal(lineAt(manifest, ["items", 0, "spec", "x"]), 13);
    assert.equal(lineAt(manifest, []), 11);
  });
});

const folder = "../shared/istio";
describe("manifests of the real injector", { skip: existsSync(folder) ? false : `${folder} is not there` }, () => {
  for (const file of existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".yaml")) : []) {
    it(`${file} changes in its pods only, once, and loses no line`, () => {
      const text = readFileSync(`${folder}/${file}`, "utf8");
      const once = [...chunksOf(text)].map((chunk) => injectDocument(chunk, options));
      const result = once.map((document) => document.text).join("");
      assert.notEqual(result, text);
      assert.ok(once.every(({ whole }) => !whole));
      assert.equal([...chunksOf(result)].map((chunk) => injectDocument(chunk, options).text).join(""), result);
      for (const chunk of chunksOf(result)) assert.ok(parseManifest(chunk).ok);
      // Comments and whatever is no value of a pod stand where they stood.
      for (const line of text.split("\n").filter((one) => one.includes("#"))) assert.ok(result.includes(line), line);
      const pods = [...chunksOf(result)].flatMap((chunk) => {
        const parsed = parseManifest(chunk);
        return parsed.ok ? workloadsOf(parsed.value) : [];
      });
      for (const { pod } of pods) assert.ok(isObject(objectAt(objectAt(pod, "metadata"), "annotations")));
    });
  }
});
