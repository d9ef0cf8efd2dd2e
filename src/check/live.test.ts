import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { optionsFor, run, sidecarPod } from "../../test/unit/pods.ts";
import { parseManifest } from "../manifests/document.ts";
import { type JsonObject, objectAt } from "../pod/json.ts";
import { inventoryOf } from "./inventory.ts";
import { injectionFindings, TRIAL, trialProblem } from "./live.ts";

const namespace: JsonObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop", labels: { "gracegate.dev/injection": "enabled" } },
};

function findings(pod: JsonObject, others: readonly JsonObject[] = [namespace]): readonly string[] {
  const named = { ...pod, metadata: { name: "web", ...objectAt(pod, "metadata"), namespace: "shop" } };
  const sources = [...others, named].map((object) => {
    const manifest = parseManifest({ text: JSON.stringify(object), line: 1 });
    assert.ok(manifest.ok);
    return { file: "cluster", manifest };
  });
  const inventory = inventoryOf(sources, { ...optionsFor(), namespace: "default", role: undefined });
  return injectionFindings(inventory).map(({ rule }) => rule);
}

describe("injectionFindings", () => {
  const injected = run(sidecarPod()).pod;

  it("a pod that came out right is no finding", () => assert.deepEqual(findings(injected), []));

  it("a pod without a status was created without Gracegate", () => {
    assert.deepEqual(findings(sidecarPod()), ["injection-missing"]);
  });

  it("a pod of a namespace that is not opted in is none, unless it is itself", () => {
    assert.deepEqual(findings(sidecarPod(), []), []);
    assert.deepEqual(findings(sidecarPod({ labels: { "gracegate.dev/inject": "true" } }), []), ["injection-missing"]);
  });

  it("a pod that only the first call changed is half done", () => {
    const { spec } = sidecarPod();
    const half = {
      ...injected,
      spec: spec ?? null,
      metadata: run({ ...sidecarPod(), spec: { containers: [] } }).pod.metadata ?? null,
    };
    assert.deepEqual(findings(half), ["injection-half-done"]);
  });

  it("a pod of an earlier policy is outdated", () => {
    assert.deepEqual(findings(run(sidecarPod(), { sidecar: { drainTimeout: 7 } }).pod), ["injection-outdated"]);
  });

  it("pods that end or are on their way out are none", () => {
    assert.deepEqual(findings({ ...sidecarPod(), status: { phase: "Succeeded" } }), []);
    assert.deepEqual(findings(sidecarPod({ labels: { "gracegate.dev/inject": "false" } })), []);
  });
});

describe("trialProblem", () => {
  it("a trial that came back with the status is no problem", () => {
    assert.equal(trialProblem(run(TRIAL).pod), undefined);
    assert.match(trialProblem(TRIAL) ?? "", /was not called, or did not answer/);
  });
});
