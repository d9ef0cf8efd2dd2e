import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requestOf } from "../../test/unit/pods.ts";
import { type JsonObject, objectAt, textAt } from "../pod/json.ts";
import { snapshotOf } from "../policy/snapshot.ts";
import { policyObject } from "../policy/validate.ts";
import { isPolicy, reviewPolicy } from "./review-policy.ts";

const IMAGE = { gateway: { hc: { image: "a" } } };
const root = { name: "owner", namespace: "gracegate", resourceVersion: "1" };
const { delegation: nothing } = snapshotOf([], "gracegate");
const { delegation: image } = snapshotOf([{ ...root, spec: { delegate: ["hc.image"] } }], "gracegate");

function verdict(spec: JsonObject, { before, namespace = "shop", delegation = nothing }: Given = {}) {
  const policy = (of: JsonObject) => policyObject("default", namespace, of);
  const request = requestOf(policy(spec), {
    operation: before === undefined ? "CREATE" : "UPDATE",
    kind: "GracePolicy",
    group: "gracegate.dev",
    namespace,
    oldObject: before && policy(before),
  });
  const { response } = reviewPolicy(request, delegation);
  const answer = objectAt(response, "response");
  return answer.allowed === true ? "allowed" : textAt(objectAt(answer, "status"), "message");
}

interface Given {
  readonly before?: JsonObject;
  readonly namespace?: string;
  readonly delegation?: typeof nothing;
}

describe("the review of a policy", () => {
  const REFUSED =
    "GracePolicy shop/default: hc.image of gateway is skipped, since no GracePolicy of namespace gracegate has it in delegate. [GG604]";
  const DELEGATES =
    "GracePolicy shop/default: delegate is skipped, since it only holds in a GracePolicy of namespace gracegate; remove it. [GG605]";
  const privileged = { gateway: { hc: { image: "a", securityContext: { privileged: true } } } };
  const cases: readonly [string, JsonObject, Given, string][] = [
    ["refuses a field that is not delegated, and says who would delegate it", IMAGE, {}, REFUSED],
    ["refuses delegate outside of the root namespace", { delegate: [] }, {}, DELEGATES],
    ["says all that is wrong at once", { ...IMAGE, delegate: [] }, {}, `${REFUSED} ${DELEGATES}`],
    ["allows a field that is delegated", IMAGE, { delegation: image }, "allowed"],
    [
      "allows the cluster's owner everything",
      { ...privileged, delegate: ["hc.image"] },
      { namespace: "gracegate" },
      "allowed",
    ],
    ["allows what needs no delegation", { gateway: { hc: { port: 9000, logLevel: "debug" } } }, {}, "allowed"],
    [
      "allows an update that leaves such a field as it was",
      { mode: "Observe", ...IMAGE },
      { before: IMAGE },
      "allowed",
    ],
    ["allows an update that removes it", {}, { before: IMAGE }, "allowed"],
    ["refuses an update that changes it", { gateway: { hc: { image: "b" } } }, { before: IMAGE }, REFUSED],
    ["allows what it cannot understand", [] as unknown as JsonObject, {}, "allowed"],
  ];
  for (const [name, spec, given, answer] of cases) {
    it(name, () => assert.equal(verdict(spec, given), answer));
  }

  it("is for policies only, and not for their subresources", () => {
    const of = (fields: object) =>
      isPolicy({ ...requestOf({}), kind: "GracePolicy", group: "gracegate.dev", ...fields });
    assert.deepEqual(
      [of({}), of({ group: "apps" }), of({ kind: "Pod" }), of({ subResource: "status" })],
      [true, false, false, false],
    );
  });

  it("allows it, and hands on the reason, when something goes wrong in here", () => {
    const review = reviewPolicy(requestOf({}), undefined as never);
    assert.equal(objectAt(review.response, "response").allowed, true);
    assert.ok(review.error instanceof Error);
  });
});
