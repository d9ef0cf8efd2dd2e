import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { notice } from "../codes/registry.ts";
import { allowed, parseReview, patched, refused } from "./review.ts";

const parse = (value: unknown) => parseReview(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
const review = (request: unknown) => ({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });

describe("parseReview", () => {
  const bad: readonly [string, unknown, string][] = [
    ["an empty body", "", "the body is empty; send an AdmissionReview"],
    ["no JSON", "{", "the body is not JSON; send an AdmissionReview"],
    ["a list", [], "the body is no AdmissionReview of admission.k8s.io/v1"],
    ["another kind", { apiVersion: "v1", kind: "Pod" }, "the body is no AdmissionReview of admission.k8s.io/v1"],
    [
      "v1beta1, by name",
      { ...review({}), apiVersion: "admission.k8s.io/v1beta1" },
      'apiVersion is "admission.k8s.io/v1beta1"; only admission.k8s.io/v1 is spoken, set admissionReviewVersions: [v1]',
    ],
    [
      "no version",
      { kind: "AdmissionReview" },
      'apiVersion is "missing"; only admission.k8s.io/v1 is spoken, set admissionReviewVersions: [v1]',
    ],
    ["no request", review(undefined), "the AdmissionReview has no request with a uid"],
    ["a request without a uid", review({ uid: "" }), "the AdmissionReview has no request with a uid"],
  ];
  for (const [name, body, problem] of bad) {
    it(`refuses ${name}`, () => assert.deepEqual(parse(body), { ok: false, problem }));
  }

  it("reads a request", () => {
    const object = { kind: "Pod", metadata: { namespace: "pod" } };
    assert.deepEqual(
      parse(
        review({
          uid: "u",
          operation: "CREATE",
          kind: { group: "", version: "v1", kind: "Pod" },
          namespace: "shop",
          dryRun: true,
          object,
          oldObject: { kind: "Pod" },
        }),
      ),
      {
        ok: true,
        request: {
          uid: "u",
          operation: "CREATE",
          kind: "Pod",
          group: "",
          subResource: "",
          namespace: "shop",
          dryRun: true,
          object,
          oldObject: { kind: "Pod" },
        },
      },
    );
  });

  it("takes the namespace of the object where the request has none", () => {
    const parsed = parse(review({ uid: "u", object: { metadata: { namespace: "pod" } } }));
    assert.equal(parsed.ok && parsed.request.namespace, "pod");
  });

  it("has no object where there is none", () => {
    for (const object of [null, "x", []]) {
      const parsed = parse(review({ uid: "u", object }));
      assert.ok(parsed.ok && parsed.request.object === undefined);
    }
  });
});

describe("answers", () => {
  const warn = notice("GG303", {});
  const info = notice("GG305", { container: "app" });

  it("allowed carries the uid and nothing else", () => {
    assert.deepEqual(allowed("u"), {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: "u", allowed: true },
    });
  });
  it("warnings are told once, and what is only information is not", () => {
    assert.deepEqual((allowed("u", [warn, warn, info]).response as { warnings: unknown }).warnings, [
      `${warn.text} [GG303]`,
    ]);
  });
  it("a patch comes with its type, in base64", () => {
    const operations = [{ op: "add" as const, path: "/a", value: "ü" }];
    const { patch, patchType, auditAnnotations } = patched("u", operations, [], { role: "gateway" }).response as Record<
      string,
      unknown
    >;
    assert.deepEqual(JSON.parse(Buffer.from(String(patch), "base64").toString()), operations);
    assert.deepEqual([patchType, auditAnnotations], ["JSONPatch", { role: "gateway" }]);
  });
  it("a refusal says why", () => {
    assert.deepEqual(refused("u", "no.").response, {
      uid: "u",
      allowed: false,
      status: { code: 422, reason: "Invalid", message: "no." },
    });
  });
});
