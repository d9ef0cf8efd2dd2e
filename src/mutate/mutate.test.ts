import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { annotation, app, codesOf, containerOf, gatewayPod, preStop, run, sidecarPod } from "../../test/unit/pods.ts";
import { objectAt } from "../pod/json.ts";
import { podProblems } from "../pod/pod-rules.ts";

const KIB = 1024;

describe("a change that would make the pod invalid is left out", () => {
  it("annotations of nearly 256 KiB: the status goes first that frees enough", () => {
    const pod = gatewayPod({ annotations: { big: "x".repeat(256 * KIB - 700) } });
    const { pod: result, notices } = run(pod);
    assert.deepEqual(podProblems(result), []);
    assert.ok(codesOf(notices).includes("GG405"));
    assert.ok(containerOf(result, "hc") !== undefined, "the rest is done");
  });

  it("annotations that leave no room at all: what is no annotation is still done", () => {
    const pod = gatewayPod({ annotations: { big: "x".repeat(256 * KIB - 10) } });
    const { pod: result, notices } = run(pod);
    assert.deepEqual(podProblems(result), []);
    assert.deepEqual(
      [annotation(result, "proxy.istio.io/config"), annotation(result, "gracegate.dev/status")],
      [undefined, undefined],
    );
    const told = notices.filter(({ code }) => code === "GG405").map(({ text }) => text);
    assert.ok(told.length > 0);
    assert.match(
      told[0] ?? "",
      /was left out, since the pod would be refused: its annotations weigh \d+ bytes, more than 262144\.$/,
    );
  });

  it("pod requests that are used up: hc's own shrink to nothing instead", () => {
    const requests = { cpu: "1", memory: "1Gi" };
    const proxy = { name: "istio-proxy", image: "p", args: ["proxy", "router"], resources: { requests } };
    const { pod, notices } = run(gatewayPod({ spec: { containers: [proxy], resources: { requests } } }));
    assert.deepEqual([podProblems(pod), codesOf(notices)], [[], []]);
    assert.deepEqual(objectAt(containerOf(pod, "hc"), "resources").requests, { cpu: "0", memory: "0" });
  });

  it("what was wrong before is not this program's fault: everything is done", () => {
    const pod = sidecarPod({ others: [app(), app()] });
    const { pod: result, notices } = run(pod);
    assert.deepEqual(podProblems(result), podProblems(pod));
    assert.ok(!codesOf(notices).includes("GG405"));
    assert.ok(preStop(result, "istio-proxy") !== undefined);
  });

  it("a pod that needs nothing is the very same object", () => {
    const once = run(gatewayPod()).pod;
    assert.equal(run(once).pod, once);
  });
});
