import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainPod, requestOf, run } from "../../test/unit/pods.ts";
import { type JsonObject, objectAt } from "../pod/json.ts";
import { isFirstCall } from "./first-call.ts";

/** A pod with annotations, some of which its creator sent; undefined: the API server does not say. */
function pod(annotations: readonly string[], sent: readonly string[] | undefined): JsonObject {
  const made = plainPod({ annotations: Object.fromEntries(annotations.map((name) => [name, "{}"])) });
  if (sent === undefined) return made;
  const fields = Object.fromEntries(sent.map((name) => [`f:${name}`, {}]));
  const managedFields = [
    {
      manager: "kube-controller-manager",
      operation: "Update",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:metadata": { "f:annotations": { ".": {}, ...fields } }, "f:spec": {} },
    },
  ];
  return { ...made, metadata: { ...objectAt(made, "metadata"), managedFields } };
}

const STATUS = "gracegate.dev/status";
const INJECTED = "sidecar.istio.io/status";

const cases: readonly (readonly [string, JsonObject, boolean])[] = [
  ["a pod that nobody has touched", pod([], []), true],
  ["a pod with annotations of its own", pod(["a"], ["a"]), true],
  ["a pod that we wrote a status into", pod([STATUS], []), false],
  ["a pod that was made as a copy of another, with its status", pod([STATUS], [STATUS]), true],
  ["a pod that is left alone and that Istio has injected since", pod([INJECTED, "a"], ["a"]), false],
  ["a pod of istioctl kube-inject", pod([INJECTED], [INJECTED]), true],
  ["a pod that another webhook has annotated before us", pod(["other"], []), true],
  ["without managedFields, a pod with a status", pod([STATUS], undefined), false],
  ["without managedFields, an injected pod: nobody knows, so it counts", pod([INJECTED], undefined), true],
];

describe("the first call about a pod", () => {
  for (const [name, object, expected] of cases) {
    it(`${name}: ${expected ? "counts" : "has been counted"}`, () =>
      assert.equal(isFirstCall(requestOf(object)), expected));
  }

  it("what the pipeline made of a pod has been here", () =>
    assert.equal(isFirstCall(requestOf(run(plainPod()).pod)), false));

  it("an UPDATE, a subresource, another kind and a review without an object are no pods", () => {
    assert.equal(isFirstCall(requestOf(pod([], []), { operation: "UPDATE" })), false);
    assert.equal(isFirstCall(requestOf(pod([], []), { subResource: "eviction" })), false);
    assert.equal(isFirstCall(requestOf(pod([], []), { kind: "Deployment" })), false);
    assert.equal(isFirstCall(requestOf(undefined)), false);
  });
});
