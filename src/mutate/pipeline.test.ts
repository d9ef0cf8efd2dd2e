import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  annotation,
  app,
  codesOf,
  gatewayPod,
  optionsFor,
  plainPod,
  run,
  sidecarPod,
  specOf,
  statusOf,
  type WrittenSpec,
} from "../../test/unit/pods.ts";
import { snapshotOf } from "../policy/snapshot.ts";
import { runPipeline } from "./pipeline.ts";

describe("modes", () => {
  it("Enforce changes the pod", () => {
    assert.deepEqual(run(gatewayPod()).changedBy, [
      "proxy-config",
      "proxy-environment",
      "hc",
      "proxy-lifecycle",
      "grace-period",
    ]);
  });
  it("Observe writes the status and nothing else", () => {
    const { pod, changedBy } = run(gatewayPod(), { mode: "Observe" });
    assert.deepEqual(pod.spec, gatewayPod().spec);
    assert.equal(annotation(pod, "proxy.istio.io/config"), undefined);
    assert.deepEqual([statusOf(pod).mode, statusOf(pod).wrote, changedBy], ["Observe", {}, []]);
  });
  it("Observe warns as Enforce does", () => {
    const pod = gatewayPod({ annotations: { "proxy.istio.io/config": "- a" } });
    assert.deepEqual(codesOf(run(pod, { mode: "Observe" }).notices), codesOf(run(pod).notices));
  });
  it("Disabled gives the very same pod", () => {
    const pod = gatewayPod({ annotations: { "gracegate.dev/margin": "soon" } });
    const outcome = run(pod, { mode: "Disabled", invalid: "Deny" });
    assert.equal(outcome.pod, pod);
    assert.deepEqual([outcome.notices, outcome.refusal], [[], undefined]);
  });
  it("an override turns a pod off", () => {
    const pod = gatewayPod({ annotations: { "gracegate.dev/mode": "Disabled" } });
    assert.equal(run(pod).pod, pod);
  });
  it("a pod without a role is the very same", () => {
    const pod = plainPod({ spec: { hostNetwork: true } });
    assert.equal(run(pod).pod, pod);
    assert.equal(run(pod).plan, undefined);
  });
});

describe("bad overrides", () => {
  const bad = (name: string, value: string, spec: WrittenSpec = {}, more: Record<string, string> = {}) => {
    const pod = gatewayPod({ annotations: { [`gracegate.dev/${name}`]: value, ...more } });
    return run(pod, spec);
  };

  it("Deny refuses the pod with the sentence of the warning", () => {
    const outcome = bad("drain-timeout", "36 sec", { invalid: "Deny", gateway: { drainTimeout: 36 } });
    assert.equal(
      outcome.refusal,
      'gracegate.dev/drain-timeout: "36 sec" is not a duration (a number lacks its unit); write 36s, 1m30s or a number of seconds. The policy refuses such a pod (invalid: Deny).',
    );
    assert.equal(outcome.plan, undefined);
  });
  it("Deny refuses nothing while the policy only observes", () => {
    const outcome = bad("drain-timeout", "36 sec", { invalid: "Deny", mode: "Observe" });
    assert.deepEqual([outcome.refusal, codesOf(outcome.notices)], [undefined, ["GG101"]]);
  });
  it("Deny does not refuse an unknown name", () => {
    const outcome = bad("drain-timout", "36s", { invalid: "Deny" });
    assert.deepEqual([outcome.refusal, codesOf(outcome.notices)], [undefined, ["GG102"]]);
  });
  it("Deny does not refuse one for the other role", () => {
    const pod = sidecarPod({ annotations: { "gracegate.dev/hc": "maybe" } });
    const outcome = run(pod, { invalid: "Deny" });
    assert.deepEqual([outcome.refusal, codesOf(outcome.notices)], [undefined, ["GG103"]]);
  });
  it("Warn goes on without it", () => {
    const outcome = bad("drain-timeout", "36 sec");
    assert.equal(outcome.refusal, undefined);
    assert.equal(outcome.plan?.context.budget.drainTimeout.value, 36_000);
  });

  type Case = readonly [string, string, string, WrittenSpec, string];
  const instead: readonly Case[] = [
    ["a policy's value", "margin", "x", { gateway: { margin: 20 } }, "Using 20s from GracePolicy shop/default."],
    ["the built-in value", "margin", "x", {}, "Using 30s from built-in."],
    ["a value that is no duration is shown as it is", "proxy-stop", "x", {}, "Using Hold from built-in."],
    ["mode", "mode", "x", { mode: "Observe" }, "Using Observe from GracePolicy shop/default."],
    [
      "a number that is no duration",
      "lb-check-fall",
      "x",
      { gateway: { loadBalancer: { checkFall: 4 } } },
      "Using 4 from GracePolicy shop/default.",
    ],
    ["the p99 where no level has a drain timeout", "drain-timeout", "x", {}, "Using requestP99 30s from built-in."],
    [
      "a nearer p99 where a farther level has a drain timeout",
      "drain-timeout",
      "x",
      { gateway: { requestP99: 10 } },
      "Using requestP99 10s from GracePolicy shop/default.",
    ],
    [
      "a drain timeout that voids the p99",
      "request-p99",
      "x",
      { gateway: { drainTimeout: 20 } },
      "Using drainTimeout 20s from GracePolicy shop/default.",
    ],
    [
      "an interval that voids a buffer",
      "lb-buffer",
      "x",
      { gateway: { loadBalancer: { checkInterval: 4 } } },
      "It is ignored.",
    ],
    ["a setting that nobody made", "termination-drain-duration", "x", {}, "It is ignored."],
    ["an override without a setting", "grace-period", "x", {}, "It is ignored."],
  ];
  for (const [name, override, value, spec, sentence] of instead) {
    it(`what holds instead: ${name}`, () => {
      const [notice] = bad(override, value, spec).notices;
      assert.equal(notice?.code, "GG101");
      assert.ok(notice?.text.endsWith(sentence), notice?.text);
    });
  }
});

describe("what holds instead, over two levels", () => {
  const sentence = (name: string, far: WrittenSpec, near: WrittenSpec) => {
    const policies = [
      { name: "far", namespace: "gracegate", resourceVersion: undefined, spec: specOf(far) },
      { name: "near", namespace: "shop", resourceVersion: undefined, spec: specOf(near) },
    ];
    const options = { ...optionsFor(), snapshot: snapshotOf(policies, "gracegate") };
    const pod = gatewayPod({ annotations: { [`gracegate.dev/${name}`]: "x" } });
    return runPipeline(pod, "shop", options).notices[0]?.text.split(". ").at(-1);
  };

  it("a farther drain timeout is not what holds beside a nearer p99", () => {
    const said = sentence("drain-timeout", { gateway: { drainTimeout: 60 } }, { gateway: { requestP99: 10 } });
    assert.equal(said, "Using requestP99 10s from GracePolicy shop/near.");
  });
  it("a farther buffer is not what holds beside a nearer interval", () => {
    const near = { gateway: { loadBalancer: { checkInterval: 4 } } };
    const said = sentence("lb-buffer", { gateway: { loadBalancer: { buffer: 60 } } }, near);
    assert.equal(said, "It is ignored.");
  });
  it("a farther buffer is, where nothing nearer says anything", () => {
    const said = sentence("lb-buffer", { gateway: { loadBalancer: { buffer: 60 } } }, {});
    assert.equal(said, "Using 60s from GracePolicy gracegate/far.");
  });
});

describe("grace periods", () => {
  it("0 is a wish to be killed at once: the pod is left unchanged, with a warning", () => {
    const pod = gatewayPod({
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "istio-proxy", image: "p", args: ["proxy", "router"] }],
      },
    });
    const outcome = run(pod);
    assert.equal(outcome.pod, pod);
    assert.deepEqual(codesOf(outcome.notices), ["GG303"]);
  });

  it("leaves a pod of very many containers alone, and says so", () => {
    const others = (count: number) => Array.from({ length: count }, (_, index) => app(undefined, `c${index}`));
    const many = sidecarPod({ others: others(500) });
    const outcome = run(many);
    assert.equal(outcome.pod, many);
    assert.deepEqual(codesOf(outcome.notices), ["GG406"]);
    assert.notEqual(run(sidecarPod({ others: others(499) })).changedBy.length, 0);
  });

  const wish = (seconds: string, grace?: number) => {
    const containers = [{ name: "istio-proxy", image: "p", args: ["proxy", "router"] }];
    const spec = grace === undefined ? { containers } : { containers, terminationGracePeriodSeconds: grace };
    const outcome = run(gatewayPod({ annotations: { "gracegate.dev/grace-period": seconds }, spec }));
    const notice = outcome.notices.find(({ code }) => code === "GG104" || code === "GG105");
    return [(outcome.plan?.context.budget.gracePeriod.value ?? 0) / 1000, notice?.text];
  };
  it("a wish above the budget is granted", () => assert.deepEqual(wish("120s"), [120, undefined]));
  it("a wish below it is raised, with a warning", () => {
    assert.deepEqual(wish("40s"), [
      75,
      "gracegate.dev/grace-period: 40s is less than the 75s that the budget needs; the grace period is 75s.",
    ]);
  });
  it("a wish below the pod's own changes nothing, with a warning that says so", () => {
    assert.deepEqual(wish("80s", 120), [
      120,
      "gracegate.dev/grace-period: 80s is less than the pod's own 120s, which stays; lower terminationGracePeriodSeconds if that is meant.",
    ]);
    assert.deepEqual(wish("120s", 120), [120, undefined]);
  });
  it("a wish of 0 is less than the budget needs", () => assert.equal(wish("0")[0], 75));

  const underCeiling = (annotations: Record<string, string>, terminationGracePeriodSeconds = 30) => {
    const containers = [{ name: "istio-proxy", image: "p", args: ["proxy", "router"] }];
    const spec = specOf({ gateway: { maxGracePeriod: 300 } });
    const owner = { name: "default", namespace: "gracegate", resourceVersion: undefined, spec };
    const pod = gatewayPod({ annotations, spec: { containers, terminationGracePeriodSeconds } });
    const outcome = runPipeline(pod, "shop", { ...optionsFor(), snapshot: snapshotOf([owner], "gracegate") });
    const notice = outcome.notices.find(({ code }) => code === "GG109");
    return [(outcome.plan?.context.budget.gracePeriod.value ?? 0) / 1000, notice?.text];
  };
  it("a wish is cut to the owner's maxGracePeriod, with a warning that names his policy", () => {
    assert.deepEqual(underCeiling({ "gracegate.dev/grace-period": "24h" }), [
      300,
      "gracegate.dev/grace-period: 86400s is more than maxGracePeriod 300s of GracePolicy gracegate/default; the grace period is 300s.",
    ]);
    assert.deepEqual(underCeiling({ "gracegate.dev/grace-period": "300s" }), [300, undefined]);
  });
  it("what the pod itself has is never lowered to it, and no drain timeout goes beyond it", () => {
    assert.deepEqual(underCeiling({}, 900), [900, undefined]);
    assert.deepEqual(underCeiling({ "gracegate.dev/drain-timeout": "24h" }), [300, undefined]);
  });
});
