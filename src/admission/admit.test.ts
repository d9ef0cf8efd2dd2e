import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codesOf, gatewayPod, optionsFor, plainPod, requestOf, run } from "../../test/unit/pods.ts";
import { applyPatch, type PatchOperation } from "../mutate/patch.ts";
import type { JsonObject } from "../pod/json.ts";
import { admit } from "./admit.ts";
import type { AdmissionRequest } from "./review.ts";

const answer = (admission: { response: JsonObject }) => admission.response.response as Record<string, unknown>;

describe("admit", () => {
  it("a gateway is patched, and the patch makes the result", () => {
    const admission = admit(requestOf(gatewayPod()), optionsFor());
    const { patch, patchType, allowed, auditAnnotations } = answer(admission);
    const operations = JSON.parse(Buffer.from(String(patch), "base64").toString()) as PatchOperation[];
    assert.deepEqual(applyPatch(gatewayPod(), operations), run(gatewayPod()).pod);
    assert.deepEqual(
      [allowed, patchType, admission.outcome, admission.role],
      [true, "JSONPatch", "patched", "gateway"],
    );
    assert.deepEqual(auditAnnotations, {
      role: "gateway",
      rule: "proxy-router",
      changed: "proxy-config,proxy-environment,hc,proxy-lifecycle,grace-period",
      policies: "shop/default",
    });
  });

  it("the second call gets no patch", () => {
    const second = admit(requestOf(run(gatewayPod()).pod), optionsFor());
    assert.deepEqual([second.outcome, answer(second).patch], ["unchanged", undefined]);
  });

  const skipped: readonly [string, AdmissionRequest][] = [
    ["an UPDATE", requestOf(gatewayPod(), { operation: "UPDATE" })],
    ["another kind", requestOf(gatewayPod(), { kind: "Deployment" })],
    ["a Pod of another group", requestOf(gatewayPod(), { group: "metrics.k8s.io" })],
    ["a subresource", requestOf(gatewayPod(), { subResource: "ephemeralcontainers" })],
    ["a review without an object", requestOf(undefined)],
  ];
  for (const [name, given] of skipped) {
    it(`${name} is allowed unchanged`, () => {
      const admission = admit(given, optionsFor());
      assert.deepEqual(answer(admission), { uid: "u-1", allowed: true });
      assert.deepEqual([admission.outcome, admission.rule], ["skipped", "not-a-pod-creation"]);
    });
  }

  it("a pod without a role is allowed unchanged", () => {
    const admission = admit(requestOf(plainPod({ spec: { hostNetwork: true } })), optionsFor());
    assert.deepEqual(
      [answer(admission), admission.outcome, admission.rule],
      [{ uid: "u-1", allowed: true }, "skipped", "host-network"],
    );
  });

  it("Deny refuses", () => {
    const pod = gatewayPod({ annotations: { "gracegate.dev/margin": "soon" } });
    const admission = admit(requestOf(pod), optionsFor({ invalid: "Deny" }));
    assert.deepEqual(
      [answer(admission).allowed, admission.outcome, codesOf(admission.notices)],
      [false, "denied", ["GG101"]],
    );
    assert.match(JSON.stringify(answer(admission).status), /gracegate\.dev\/margin/);
  });

  it("an exception inside admits the pod unchanged, and says under which uid the log has the reason", () => {
    // No input is known that throws; options whose snapshot fails stand in for a bug.
    const options = optionsFor();
    Object.defineProperty(options, "snapshot", {
      get() {
        throw new Error("a bug");
      },
    });
    const admission = admit(requestOf(gatewayPod()), options);
    const { allowed, patch, warnings } = answer(admission);
    assert.deepEqual([allowed, patch, admission.outcome], [true, undefined, "error"]);
    assert.match(String((warnings as string[])[0]), /"u-1"\. \[GG501\]$/);
    assert.match(String(admission.error), /a bug/);
  });
});
