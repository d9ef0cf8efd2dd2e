import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inSeconds, seconds } from "../units/milliseconds.ts";
import { overridesOf } from "./pod-overrides.ts";
import { DELEGABLE, type DelegableField, type PolicySpec } from "./schema.ts";
import { resolveGateway } from "./settings.ts";
import { layersFor, snapshotOf } from "./snapshot.ts";
import type { Policy } from "./validate.ts";

const policy = (namespace: string, name: string, spec: PolicySpec): Policy => ({
  namespace,
  name,
  spec,
  resourceVersion: undefined,
});

const OWNERS = { image: "owner/hc:1", securityContext: { runAsNonRoot: true } };
const THEIRS = {
  image: "evil.example/rootkit:1",
  imagePullSecrets: [{ name: "stolen" }],
  securityContext: { privileged: true },
  extraEnv: [{ name: "NODE_OPTIONS", value: "--import=data:text/javascript,1" }],
  logLevel: "debug",
} as const;

/** What hc is in a pod of shop, whose policy and annotation want theirs. */
function hcWith(delegate: readonly DelegableField[] | undefined, more: readonly Policy[] = []) {
  const root: PolicySpec = { gateway: { hc: OWNERS }, ...(delegate === undefined ? {} : { delegate }) };
  const snapshot = snapshotOf(
    [
      policy("gracegate", "default", root),
      policy("shop", "theirs", { mode: "Observe", gateway: { hc: THEIRS } }),
      ...more,
    ],
    "gracegate",
  );
  const { layers, notices } = layersFor(snapshot, { namespace: "shop", labels: { app: "web" } });
  const annotations = { "gracegate.dev/hc-image": "evil.example/by-annotation:1" };
  const own = overridesOf(annotations, "gateway", snapshot.delegation);
  const {
    enabled: _,
    port: __,
    controlPort: ___,
    metricsPort: ____,
    resources: _____,
    ...hc
  } = resolveGateway([...layers, ...own.layers]).hc;
  return { hc, codes: [...notices, ...own.notices].map(({ code }) => code), notices };
}

const built = { healthPaths: ["/health_check.html"], pollInterval: seconds(1) };

describe("what a namespace and a pod may set of the cluster's owner's", () => {
  it("is nothing unless it is delegated; the rest of the policy holds", () => {
    const { hc, codes, notices } = hcWith(undefined);
    assert.deepEqual(hc, { ...built, ...OWNERS, logLevel: "debug" });
    assert.deepEqual(codes, ["GG604", "GG108"]);
    assert.equal(
      notices[0]?.text,
      "GracePolicy shop/theirs: hc.image, hc.imagePullSecrets, hc.securityContext, hc.extraEnv of gateway are skipped, since no GracePolicy of namespace gracegate has them in delegate.",
    );
    assert.deepEqual(hcWith([]).hc, hc);
  });

  for (const field of DELEGABLE) {
    it(`is ${field} alone where only that is delegated`, () => {
      const name = field.replace("hc.", "") as keyof typeof THEIRS;
      const own = name === "image" ? "evil.example/by-annotation:1" : THEIRS[name];
      const { hc, codes } = hcWith([field]);
      assert.deepEqual(hc, { ...built, ...OWNERS, logLevel: "debug", [name]: own });
      assert.deepEqual(codes, name === "image" ? ["GG604"] : ["GG604", "GG108"]);
    });
  }

  it("is all of it where all is delegated, without a notice", () => {
    const { hc, codes } = hcWith(DELEGABLE);
    assert.deepEqual(hc, { ...built, ...THEIRS, image: "evil.example/by-annotation:1" });
    assert.deepEqual(codes, []);
  });

  it("does not come from its own delegate", () => {
    const { hc, codes } = hcWith(undefined, [policy("shop", "self", { delegate: DELEGABLE })]);
    assert.equal(hc.image, OWNERS.image);
    assert.deepEqual(codes, ["GG605", "GG604", "GG108"]);
  });

  it("does not come from another namespace's, nor from a root policy for some labels", () => {
    const selector = { matchLabels: { app: "web" } };
    const others = [
      policy("pay", "a", { delegate: DELEGABLE }),
      policy("gracegate", "z", { selector, delegate: DELEGABLE }),
    ];
    assert.equal(hcWith(undefined, others).hc.image, OWNERS.image);
  });

  it("is what the last root policy says, as with other settings", () => {
    const later = policy("gracegate", "later", { delegate: ["hc.extraEnv"] });
    assert.deepEqual(hcWith(["hc.image"], [later]).hc.extraEnv, THEIRS.extraEnv);
    assert.equal(hcWith(["hc.image"], [later]).hc.image, OWNERS.image);
  });

  it("an empty value counts as setting it: it would take away the owner's", () => {
    const empty = policy("shop", "z", { gateway: { hc: { securityContext: {}, extraEnv: [] } } });
    assert.deepEqual(hcWith(undefined, [empty]).hc.securityContext, OWNERS.securityContext);
  });
});

describe("maxGracePeriod of a root policy", () => {
  const resolved = (root: number | undefined, namespace: number | undefined) => {
    const of = (max: number | undefined): PolicySpec =>
      max === undefined ? {} : { gateway: { maxGracePeriod: seconds(max) } };
    const policies = [policy("gracegate", "a", of(root)), policy("shop", "a", of(namespace))];
    const { layers } = layersFor(snapshotOf(policies, "gracegate"), { namespace: "shop", labels: {} });
    const { maxGracePeriod, graceCeiling } = resolveGateway(layers);
    return [inSeconds(maxGracePeriod.value), maxGracePeriod.origin, graceCeiling && inSeconds(graceCeiling.value)];
  };
  const cases: readonly [string, number | undefined, number | undefined, readonly unknown[]][] = [
    ["is a ceiling that a namespace cannot raise", 300, 3600, [300, "GracePolicy gracegate/a", 300]],
    ["leaves a namespace that wants less", 300, 60, [60, "GracePolicy shop/a", 300]],
    ["holds where a namespace says nothing", 3600, undefined, [3600, "GracePolicy gracegate/a", 3600]],
    ["is no ceiling where only the built-in value is there", undefined, 3600, [3600, "GracePolicy shop/a", undefined]],
  ];
  for (const [name, root, namespace, result] of cases) {
    it(name, () => assert.deepEqual(resolved(root, namespace), result));
  }
});
