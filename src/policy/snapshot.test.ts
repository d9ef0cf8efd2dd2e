import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exactly, type InSeconds, specOf, type WrittenSpec } from "../../test/unit/pods.ts";
import type { JsonObject } from "../pod/json.ts";
import { inSeconds } from "../units/milliseconds.ts";
import type { MeshConfig } from "./mesh-config.ts";
import { overridesOf } from "./pod-overrides.ts";
import { resolveGateway, resolveInvalid, resolveMode, resolveSidecar } from "./settings.ts";
import { layersFor, snapshotOf } from "./snapshot.ts";
import type { Policy } from "./validate.ts";

const policy = (namespace: string, name: string, spec: WrittenSpec): Policy => ({
  namespace,
  name,
  spec: specOf(spec),
  resourceVersion: undefined,
});
const web = { matchLabels: { app: "web" } };
const gateway = (fields: WrittenSpec["gateway"], selector?: WrittenSpec["selector"]): WrittenSpec => ({
  ...(fields === undefined ? {} : { gateway: fields }),
  ...(selector === undefined ? {} : { selector }),
});
const lb = (fields: NonNullable<WrittenSpec["gateway"]>["loadBalancer"]) =>
  gateway(fields === undefined ? {} : { loadBalancer: fields });

interface Given {
  readonly policies: readonly Policy[];
  readonly mesh?: InSeconds<MeshConfig>;
  readonly annotations?: JsonObject;
  readonly labels?: JsonObject;
  readonly namespace?: string;
}

function layers({ policies, mesh, annotations = {}, labels = { app: "web" }, namespace = "shop" }: Given) {
  const snapshot = snapshotOf(policies, "gracegate", mesh && exactly<MeshConfig>(mesh));
  const found = layersFor(snapshot, { namespace, labels });
  return { ...found, layers: [...found.layers, ...overridesOf(annotations, "gateway", snapshot.delegation).layers] };
}

const margin = (given: Given) => {
  const { value, origin } = resolveGateway(layers(given).layers).margin;
  return `${value / 1000} ${origin}`;
};

const built = policy("gracegate", "a", gateway({ margin: 21 }));
const rootSelector = policy("gracegate", "a-web", gateway({ margin: 22 }, web));
const own = policy("shop", "a", gateway({ margin: 23 }));
const ownSelector = policy("shop", "a-web", gateway({ margin: 24 }, web));
const annotations = { "gracegate.dev/margin": "25s" };

describe("levels, farthest first", () => {
  const cases: readonly [string, Given, string][] = [
    ["built-in", { policies: [] }, "30 built-in"],
    ["a policy of the root namespace", { policies: [built] }, "21 GracePolicy gracegate/a"],
    [
      "one of the root namespace with a selector",
      { policies: [built, rootSelector] },
      "22 GracePolicy gracegate/a-web",
    ],
    ["one of the pod's namespace", { policies: [own, built, rootSelector] }, "23 GracePolicy shop/a"],
    [
      "one of the pod's namespace with a selector",
      { policies: [ownSelector, own, built, rootSelector] },
      "24 GracePolicy shop/a-web",
    ],
    ["an override", { policies: [ownSelector, own], annotations }, "25 annotation gracegate.dev/margin"],
    [
      "a selector that does not match counts as nothing",
      { policies: [own, ownSelector], labels: {} },
      "23 GracePolicy shop/a",
    ],
    [
      "another namespace's policy counts as nothing",
      { policies: [policy("pay", "a", gateway({ margin: 9 }))] },
      "30 built-in",
    ],
    [
      "a pod of the root namespace has the root's policies, once",
      { policies: [built, own], namespace: "gracegate" },
      "21 GracePolicy gracegate/a",
    ],
    [
      "within a level the later name wins",
      { policies: [policy("shop", "b", gateway({ margin: 8 })), policy("shop", "a", gateway({ margin: 9 }))] },
      "8 GracePolicy shop/b",
    ],
    [
      "names are compared as bytes, not as numbers",
      { policies: [policy("shop", "p10", gateway({ margin: 8 })), policy("shop", "p9", gateway({ margin: 9 }))] },
      "9 GracePolicy shop/p9",
    ],
    [
      "a nearer policy that says nothing of it changes nothing",
      { policies: [built, policy("shop", "z", gateway({ drainTimeout: 5 }))] },
      "21 GracePolicy gracegate/a",
    ],
  ];
  for (const [name, given, result] of cases) {
    it(name, () => assert.equal(margin(given), result));
  }

  it("the policies that hold are named, in the order of their levels", () => {
    const { policies } = layers({ policies: [ownSelector, own, rootSelector, built, policy("pay", "a", {})] });
    assert.deepEqual(
      policies.map(({ namespace, name }) => `${namespace}/${name}`),
      ["gracegate/a", "gracegate/a-web", "shop/a", "shop/a-web"],
    );
  });

  it("the mesh config is farther than every policy, and nearer than what is built in", () => {
    const mesh = { terminationDrainDuration: 20, exitOnZeroActiveConnections: false };
    const policies = [policy("gracegate", "a", gateway({ terminationDrainDuration: 50 }))];
    const settings = resolveGateway(layers({ policies, mesh }).layers);
    assert.deepEqual(
      [settings.terminationDrainDuration?.value, settings.exitOnZero as unknown],
      [50_000, { value: false, level: 1, origin: "mesh config" }],
    );
  });

  it("the snapshot counts its policies", () => assert.equal(snapshotOf([own, built], "gracegate").size, 2));

  it("mode and invalid are settings like others", () => {
    const { layers: found } = layers({ policies: [policy("shop", "a", { mode: "Observe", invalid: "Deny" })] });
    assert.deepEqual([resolveMode(found).value, resolveInvalid(found).value], ["Observe", "Deny"]);
    const { layers: none } = layers({ policies: [] });
    assert.deepEqual([resolveMode(none).value, resolveInvalid(none).value], ["Enforce", "Warn"]);
  });
});

describe("two ways to say one thing", () => {
  const root = (spec: WrittenSpec) => policy("gracegate", "a", spec);
  const shop = (spec: WrittenSpec, name = "a") => policy("shop", name, spec);
  const drain = (policies: readonly Policy[], on: JsonObject = {}) => {
    const { drain: found } = resolveGateway(layers({ policies, annotations: on }).layers);
    if (found === undefined) return "";
    return "drainTimeout" in found
      ? `drainTimeout ${found.drainTimeout.value / 1000}`
      : `requestP99 ${found.requestP99.value / 1000}`;
  };
  const buffer = (policies: readonly Policy[], on: JsonObject = {}) => {
    const {
      buffer: found,
      checkInterval,
      checkFall,
    } = resolveGateway(layers({ policies, annotations: on }).layers).loadBalancer;
    return [found && inSeconds(found.value), checkInterval && inSeconds(checkInterval.value), checkFall?.value];
  };

  it("the built-in gateway has a p99 of 30 s", () => assert.equal(drain([]), "requestP99 30"));
  it("a nearer p99 beats a farther drain timeout", () => {
    assert.equal(drain([root(gateway({ drainTimeout: 60 })), shop(gateway({ requestP99: 10 }))]), "requestP99 10");
  });
  it("the drain timeout wins on one level", () => {
    assert.equal(
      drain([shop(gateway({ drainTimeout: 60 })), shop(gateway({ requestP99: 10 }), "b")]),
      "drainTimeout 60",
    );
  });
  it("an override of p99 beats a policy's drain timeout", () => {
    assert.equal(drain([shop(gateway({ drainTimeout: 60 }))], { "gracegate.dev/request-p99": "5s" }), "requestP99 5");
  });
  it("a nearer interval beats a farther buffer", () => {
    assert.deepEqual(buffer([root(lb({ buffer: 9 })), shop(lb({ checkInterval: 7 }))]), [undefined, 7, undefined]);
  });
  it("a nearer fall beats a farther buffer, too", () => {
    assert.deepEqual(buffer([root(lb({ buffer: 9, checkInterval: 4 })), shop(lb({ checkFall: 3 }))]), [
      undefined,
      4,
      3,
    ]);
  });
  it("interval and fall themselves are picked field by field", () => {
    assert.deepEqual(buffer([root(lb({ checkInterval: 4, checkFall: 5 })), shop(lb({ checkFall: 3 }))]), [
      undefined,
      4,
      3,
    ]);
  });
  it("the buffer wins on one level", () =>
    assert.deepEqual(buffer([shop(lb({ buffer: 9, checkInterval: 4 }))]), [9, 4, undefined]));
  it("a nearer buffer beats a farther interval", () => {
    assert.deepEqual(buffer([shop(lb({ checkInterval: 4 }))], { "gracegate.dev/lb-buffer": "12s" }), [
      12,
      4,
      undefined,
    ]);
  });
});

describe("groups of settings", () => {
  const answers = (policies: readonly Policy[], on: JsonObject = {}) =>
    resolveGateway(layers({ policies, annotations: on }).layers).loadBalancer.answers;
  const far = policy(
    "gracegate",
    "a",
    lb({ profile: "haproxy", answers: { draining: { status: 429 }, closed: { status: 500 } } }),
  );

  it("answers of levels are laid over each other, field by field", () => {
    const near = policy("shop", "a", lb({ answers: { draining: { body: "bye" } } }));
    assert.deepEqual(answers([far, near]), { draining: { status: 429, body: "bye" }, closed: { status: 500 } });
  });
  it("a nearer profile drops answers from farther levels", () => {
    assert.deepEqual(answers([far, policy("shop", "a", lb({ profile: "f5", answers: { open: { body: "UP" } } }))]), {
      open: { body: "UP" },
    });
  });
  it("a profile by override drops a policy's answers", () => {
    assert.deepEqual(answers([far], { "gracegate.dev/lb-profile": "gcp" }), {});
  });

  const stats = (mesh: string[] | undefined, policies: readonly Policy[]) =>
    resolveGateway(
      layers({ policies, ...(mesh === undefined ? {} : { mesh: { proxyStatsMatcher: { inclusionPrefixes: mesh } } }) })
        .layers,
    ).statsMatcher.inclusionPrefixes;
  const named = (namespace: string, ...inclusionPrefixes: string[]) =>
    policy(namespace, "a", gateway({ proxyStatsMatcher: { inclusionPrefixes } }));

  it("stats of the mesh and of the policy are united, without doubles", () => {
    assert.deepEqual(stats(["a", "b"], [named("shop", "b", "c")]), ["a", "b", "c"]);
  });
  it("among policies the nearest list counts", () => {
    assert.deepEqual(stats(undefined, [named("gracegate", "x"), named("shop", "y")]), ["y"]);
  });
  it("without any there are none", () => assert.deepEqual(stats(undefined, []), []));

  it("hc's fields are picked one by one, its resources as one value", () => {
    const policies = [
      policy("gracegate", "a", gateway({ hc: { image: "mirror/hc:1", resources: { limits: { cpu: "1" } } } })),
      policy("shop", "a", gateway({ hc: { logLevel: "debug", resources: { requests: { memory: "32Mi" } } } })),
    ];
    const { hc, hcImage } = resolveGateway(layers({ policies }).layers);
    assert.equal(hc.image, "mirror/hc:1");
    assert.equal(hc.logLevel, "debug");
    assert.equal(hc.port, 18180);
    assert.deepEqual(hc.resources, { requests: { memory: "32Mi" } });
    assert.equal(hcImage?.origin, "GracePolicy gracegate/a");
  });

  it("a sidecar has its own part", () => {
    const policies = [
      policy("shop", "a", { sidecar: { drainTimeout: 12, proxyStop: "Sleep", applicationPreStopSleep: 3 } }),
    ];
    const settings = resolveSidecar(layers({ policies }).layers);
    assert.deepEqual(settings.drain, { drainTimeout: { value: 12_000, level: 4, origin: "GracePolicy shop/a" } });
    assert.deepEqual(
      [settings.proxyStop?.value, settings.applicationPreStopSleep.value, settings.margin.value],
      ["Sleep", 3000, 5000],
    );
  });

  it("a sidecar without a policy has no drain setting and no stop of its own", () => {
    const settings = resolveSidecar(layers({ policies: [] }).layers);
    assert.deepEqual([settings.drain, settings.proxyStop, settings.exitOnZero], [undefined, undefined, undefined]);
  });
});
