import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { app, gatewayPod, plainPod, run, sidecarPod, statusOf } from "../../test/unit/pods.ts";
import { type JsonObject, objectAt } from "../pod/json.ts";

const grace = (pod: JsonObject) => objectAt(pod, "spec").terminationGracePeriodSeconds;
const own = (seconds: number) => ({
  containers: [{ name: "istio-proxy", image: "p", args: ["proxy", "router"] }],
  terminationGracePeriodSeconds: seconds,
});

describe("mutation 6, the grace period", () => {
  it("is raised", () => assert.equal(grace(run(gatewayPod({ spec: own(60) })).pod), 75));
  it("is never lowered", () => assert.equal(grace(run(gatewayPod({ spec: own(90) })).pod), 90));
  it("is written where the API server's default is not enough", () => assert.equal(grace(run(gatewayPod()).pod), 75));
  it("is not written where the default is enough", () => assert.equal(grace(run(sidecarPod()).pod), undefined));
  it("stays before the proxy is rendered, since it may never be injected", () => {
    assert.equal(grace(run(plainPod({ others: [app({ sleep: { seconds: 29 } })] })).pod), undefined);
  });
  it("a second call lowers only what the first one raised, and not under the user's", () => {
    const first = run(gatewayPod({ spec: own(60) }), { gateway: { drainTimeout: 100 } }).pod;
    assert.equal(grace(first), 139);
    assert.equal(grace(run(first).pod), 75);
    assert.equal(grace(run(first, { gateway: { drainTimeout: 5 } }).pod), 60);
  });
  it("the status keeps the user's value through both calls", () => {
    const second = run(run(gatewayPod({ spec: own(60) })).pod, { gateway: { drainTimeout: 50 } }).pod;
    assert.equal(statusOf(second).gracePeriod, 60);
  });
});
