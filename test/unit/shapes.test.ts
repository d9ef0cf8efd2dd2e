/**
 * Correct manifests in the shapes that people use: every kind, in every way of writing it. None crashes a command, none is
 * a false alarm of check, and inject changes each once, in place, and not again.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stringify } from "yaml";
import { inventoryOf } from "../../src/check/inventory.ts";
import { rules } from "../../src/check/rules.ts";
import { runRules } from "../../src/check/run.ts";
import { type Manifest, parseManifest } from "../../src/manifests/document.ts";
import { type InjectOptions, injectDocument, outcomesOf } from "../../src/manifests/inject.ts";
import { chunksOf } from "../../src/manifests/stream.ts";
import type { JsonObject } from "../../src/pod/json.ts";
import { snapshotOf } from "../../src/policy/snapshot.ts";
import { explain } from "../../src/report/explain/explanation.ts";
import { explainText } from "../../src/report/explain/text.ts";
import { plain } from "../../src/report/paint.ts";

const options: InjectOptions = {
  snapshot: snapshotOf([], "gracegate"),
  hcImage: "registry.example/gracegate:1",
  gatewayTemplates: ["gateway"],
  namespace: "shop",
  role: undefined,
};

const app = { name: "app", image: "registry.example/shop/app:4.2", ports: [{ containerPort: 8080 }] };
const proxy = { name: "istio-proxy", image: "registry.example/istio/proxyv2:1.31.0" };
const pods: Readonly<Record<string, JsonObject>> = {
  plain: { containers: [app], terminationGracePeriodSeconds: 60 },
  classic: { containers: [app, { ...proxy, args: ["proxy", "sidecar"] }] },
  native: { containers: [app], initContainers: [{ ...proxy, args: ["proxy", "sidecar"], restartPolicy: "Always" }] },
};

const metadata = { name: "web", namespace: "shop", labels: { app: "web", version: "1.10" } };
const selector = { matchLabels: { app: "web" } };

function objects(pod: JsonObject): readonly JsonObject[] {
  const template = {
    metadata: { labels: metadata.labels, annotations: { "prometheus.io/scrape": "true" } },
    spec: pod,
  };
  const once = { ...template, spec: { ...pod, restartPolicy: "OnFailure" } };
  const of = (apiVersion: string, kind: string, spec: JsonObject): JsonObject => ({ apiVersion, kind, metadata, spec });
  return [
    { apiVersion: "v1", kind: "Pod", metadata, spec: pod },
    of("apps/v1", "Deployment", { replicas: 3, selector, template }),
    of("apps/v1", "StatefulSet", { serviceName: "web", selector, template, volumeClaimTemplates: [] }),
    of("apps/v1", "DaemonSet", { selector, template, updateStrategy: { type: "RollingUpdate" } }),
    of("apps/v1", "ReplicaSet", { selector, template }),
    of("v1", "ReplicationController", { selector: { app: "web" }, template }),
    of("batch/v1", "Job", { backoffLimit: 2, template: once }),
    of("batch/v1", "CronJob", { schedule: "*/5 * * * *", jobTemplate: { spec: { template: once } } }),
    of("argoproj.io/v1alpha1", "Rollout", { selector, strategy: { canary: { maxSurge: 1 } }, template }),
  ];
}

const others: JsonObject = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata: { name: "web", namespace: "shop" },
  spec: { rules: [{ backendRefs: [{ name: "web", port: 80 }] }] },
};

const shapes: Readonly<Record<string, (object: JsonObject) => string>> = {
  "block style": (object) => stringify(object),
  // Keys in alphabetical order, lists not indented.
  "kustomize's style": (object) => stringify(object, { indentSeq: false, sortMapEntries: true, lineWidth: 0 }),
  "flow style": (object) => stringify(object, { collectionStyle: "flow", lineWidth: 120 }),
  "one of several documents": (object) => `# first\n---\n${stringify(others)}---\n${stringify(object)}---\n# last\n`,
  "a List": (object) => stringify({ apiVersion: "v1", kind: "List", items: [others, object] }),
  "JSON with tabs": (object) => `${JSON.stringify(object, undefined, "\t")}\n`,
  "Windows line ends": (object) => stringify(object, { indent: 4 }).replaceAll("\n", "\r\n"),
};

describe("manifests in the shapes that people use", () => {
  for (const [podName, pod] of Object.entries(pods)) {
    for (const object of objects(pod)) {
      for (const [shape, write] of Object.entries(shapes)) {
        it(`${String(object.kind)}, ${podName}, as ${shape}`, () => {
          const text = write(object);
          const injected = [...chunksOf(text)].map((chunk) => injectDocument(chunk, options));
          const result = injected.map((document) => document.text).join("");
          assert.ok(injected.every(({ whole, broken }) => !whole && broken === undefined));
          assert.match(result, /gracegate\.dev\/status/);
          assert.equal([...chunksOf(result)].map((chunk) => injectDocument(chunk, options).text).join(""), result);
          for (const each of [text, result]) {
            const manifests = [...chunksOf(each)].map(parseManifest).filter((one): one is Manifest => one.ok);
            const inventory = inventoryOf(
              manifests.map((manifest) => ({ file: "a.yaml", manifest })),
              options,
            );
            assert.deepEqual(
              runRules(inventory, rules).map(({ rule, message }) => `${rule}: ${message}`),
              [],
            );
            for (const one of manifests.flatMap((manifest) => outcomesOf(manifest, options))) {
              const explained = explain(one, options);
              assert.ok(explained);
              assert.match(explainText(explained, [explained.before, explained.after], plain), /SIGKILL/);
            }
          }
        });
      }
    }
  }
});
