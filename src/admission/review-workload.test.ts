import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../pod/json.ts";
import { objectAt, textsAt } from "../pod/json.ts";
import { snapshotOf } from "../policy/snapshot.ts";
import { policyObject, validatePolicy } from "../policy/validate.ts";
import type { AdmissionRequest } from "./review.ts";
import { reviewWorkload } from "./review-workload.ts";

const deny = validatePolicy(policyObject("deny", "strict", { invalid: "Deny" }));
assert.ok(deny.ok);
const options = {
  snapshot: snapshotOf([deny.policy], "gracegate"),
  hcImage: "gracegate:1",
  gatewayTemplates: ["gateway"],
};

interface Parts {
  readonly kind?: string;
  readonly namespace?: string;
  readonly own?: JsonObject;
  readonly template?: JsonObject;
  readonly labels?: JsonObject;
}

function warnings({ kind = "Deployment", namespace = "shop", own = {}, template = {}, labels = {} }: Parts) {
  const request: AdmissionRequest = {
    uid: "u",
    operation: "CREATE",
    kind,
    group: "apps",
    subResource: "",
    namespace,
    dryRun: false,
    oldObject: undefined,
    object: {
      kind,
      metadata: { name: "cart", annotations: own },
      spec: { template: { metadata: { annotations: template, labels }, spec: { containers: [{ name: "app" }] } } },
    },
  };
  const { response } = reviewWorkload(request, options);
  assert.equal(objectAt(response, "response").allowed, true);
  return textsAt(objectAt(response, "response"), "warnings");
}

describe("a review of a workload", () => {
  const cases: readonly (readonly [string, Parts, readonly RegExp[]])[] = [
    ["says nothing about one that is in order", { template: { "gracegate.dev/drain-timeout": "36s" } }, []],
    ["says what is wrong in the pod template", { template: { "gracegate.dev/drain-timeout": "36 sec" } }, [/36 sec/]],
    [
      "does so for a DaemonSet",
      { kind: "DaemonSet", template: { "gracegate.dev/drain-timout": "1s" } },
      [/drain-timeout\?/],
    ],
    ["does so for a StatefulSet", { kind: "StatefulSet", template: { "gracegate.dev/drain-timeout": "x" } }, [/GG101/]],
    [
      "says that its pods will be refused, and allows it",
      { namespace: "strict", template: { "gracegate.dev/drain-timeout": "36 sec" } },
      [/The pods of Deployment cart will be refused.*GG502/, /GG101/],
    ],
    ["says that an override on the workload does nothing", { own: { "gracegate.dev/margin": "5s" } }, [/GG107/]],
    [
      "leaves one alone that carries it in both places",
      { own: { "gracegate.dev/margin": "5s" }, template: { "gracegate.dev/margin": "5s" } },
      [],
    ],
    [
      "leaves pods alone that opt out",
      { template: { "gracegate.dev/x": "1" }, labels: { "gracegate.dev/inject": "false" } },
      [],
    ],
    ["leaves other kinds alone", { kind: "ReplicaSet", template: { "gracegate.dev/drain-timeout": "x" } }, []],
  ];
  for (const [name, parts, expected] of cases) {
    it(name, () => {
      const told = warnings(parts);
      assert.equal(told.length, expected.length, told.join("\n"));
      for (const [index, pattern] of expected.entries()) assert.match(told[index] ?? "", pattern);
    });
  }

  it("allows a workload that it cannot understand", () => {
    const object: JsonObject = { metadata: 7, spec: { template: [] } };
    const request = { uid: "u", operation: "CREATE", kind: "Deployment", group: "apps", subResource: "" };
    const { response } = reviewWorkload(
      { ...request, namespace: "a", dryRun: false, oldObject: undefined, object },
      options,
    );
    assert.equal(objectAt(response, "response").allowed, true);
  });

  it("allows it, and hands on the reason, when something goes wrong in here", () => {
    const request = { uid: "u", operation: "CREATE", kind: "Deployment", group: "apps", subResource: "" };
    const broken = { ...options, snapshot: undefined as never };
    const review = reviewWorkload(
      { ...request, namespace: "a", dryRun: false, oldObject: undefined, object: {} },
      broken,
    );
    assert.equal(objectAt(review.response, "response").allowed, true);
    assert.ok(review.error instanceof Error);
  });
});
