import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { app, gatewayPod, nativePod, plainPod, sidecarPod } from "../../test/unit/pods.ts";
import { factsOf, variableOf } from "./facts.ts";
import type { JsonObject, JsonValue } from "./json.ts";

const facts = (pod: JsonObject) => factsOf(pod, "shop", ["gateway"]);
const status = (value: object) => ({ "gracegate.dev/status": JSON.stringify(value) });

describe("factsOf", () => {
  const graces: readonly [string, JsonValue | undefined, number][] = [
    ["none is the API server's 30 s", undefined, 30],
    ["a number is itself", 45, 45],
    ["0 is a wish", 0, 0],
    ["a negative one is what the API server makes of it", -1, 1],
    ["a text is no grace period", "45", 30],
  ];
  for (const [name, value, seconds] of graces) {
    it(`the grace period: ${name}`, () => {
      const spec: JsonObject = value === undefined ? {} : { terminationGracePeriodSeconds: value };
      assert.equal(facts(plainPod({ spec })).gracePeriod, seconds * 1000);
    });
  }

  it("a grace period that an earlier call wrote is not the user's", () => {
    const annotations = status({ gracePeriod: 40, wrote: { gracePeriod: 75 } });
    assert.equal(facts(plainPod({ annotations, spec: { terminationGracePeriodSeconds: 75 } })).gracePeriod, 40_000);
    assert.equal(facts(plainPod({ annotations, spec: { terminationGracePeriodSeconds: 90 } })).gracePeriod, 90_000);
  });

  it("beside a gateway's proxy the name hc is taken", () => {
    const pod = gatewayPod({ others: [{ name: "hc", image: "x" }, app(undefined, "log")] });
    assert.deepEqual(
      facts(pod).applications.map(({ name }) => name),
      ["log"],
    );
  });

  it("applications are what is not istio-proxy", () => {
    const pod = sidecarPod({
      others: [app({ sleep: { seconds: 5 } }), { name: "hc", image: "x" }, app(undefined, "log")],
    });
    assert.deepEqual(
      facts(pod).applications.map(({ name, index, preStop }) => [name, index, preStop?.seconds]),
      [
        ["app", 0, 5],
        ["hc", 1, undefined],
        ["log", 2, undefined],
      ],
    );
  });

  it("a hook that an earlier call added to an application is not the user's", () => {
    const hook = { sleep: { seconds: 5 } };
    const pod = sidecarPod({ others: [app(hook)], annotations: status({ wrote: { "app/preStop": hook } }) });
    assert.equal(facts(pod).applications[0]?.preStop, undefined);
  });

  it("hc is found in both lists", () => {
    assert.equal(facts(gatewayPod({ others: [{ name: "hc", image: "x" }] })).hc?.inInitContainers, false);
    assert.equal(facts(gatewayPod({ others: [{ name: "hc", image: "x" }] })).hc?.index, 1);
    const init = gatewayPod({ spec: { initContainers: [{ name: "hc", image: "x" }], containers: [] } });
    assert.equal(facts(init).hc?.inInitContainers, true);
    assert.equal(facts(gatewayPod()).hc, undefined);
  });

  it("only a proxy that says what it runs is rendered", () => {
    assert.equal(facts(gatewayPod()).isRendered, true);
    assert.equal(facts(nativePod()).isRendered, true);
    assert.equal(facts(gatewayPod({ proxy: { image: "auto" } })).isRendered, false);
    assert.equal(facts(plainPod()).isRendered, false);
  });

  it("pods of Jobs are not restarted", () => {
    assert.equal(facts(plainPod({ spec: { restartPolicy: "Never" } })).restartsAlways, false);
    assert.equal(facts(plainPod({ spec: { restartPolicy: "OnFailure" } })).restartsAlways, false);
    assert.equal(facts(plainPod({ spec: { restartPolicy: "Always" } })).restartsAlways, true);
    assert.equal(facts(plainPod()).restartsAlways, true);
  });

  it("only true is the host network, and only true shares processes", () => {
    const spec = { hostNetwork: "true", shareProcessNamespace: 1 };
    assert.deepEqual(
      [facts(plainPod({ spec })).hostNetwork, facts(plainPod({ spec })).shareProcessNamespace],
      [false, false],
    );
    assert.equal(facts(plainPod({ spec: { hostNetwork: true } })).hostNetwork, true);
    assert.equal(facts(plainPod({ spec: { shareProcessNamespace: true } })).shareProcessNamespace, true);
  });

  it("the namespace is the request's", () => assert.equal(facts(plainPod()).namespace, "shop"));
});

describe("variableOf", () => {
  const container = {
    env: [
      { name: "A", value: "1" },
      { name: "A", value: "2" },
      { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "C" },
    ],
  };
  it("of two the last counts, as for the kubelet", () => assert.equal(variableOf(container, "A"), "2"));
  it("one from elsewhere is there, with a value that nobody knows", () =>
    assert.equal(variableOf(container, "B"), true));
  it("one without a value is empty", () => assert.equal(variableOf(container, "C"), ""));
  it("one that is not there is undefined", () => assert.equal(variableOf(container, "D"), undefined));
});
