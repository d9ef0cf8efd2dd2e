import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { app, gatewayPod, nativePod, plainPod, preStop, run, sidecarPod } from "../../test/unit/pods.ts";

const wish = { sidecar: { applicationPreStopSleep: 7 } };
const sleep = (seconds: number) => ({ sleep: { seconds } });

describe("mutation 5, a sleep for applications", () => {
  it("is not added unless asked for", () => assert.equal(preStop(run(sidecarPod()).pod, "app"), undefined));
  it("is added to every container without a preStop", () => {
    const { pod } = run(sidecarPod({ others: [app(), app(sleep(3), "log")] }), wish);
    assert.deepEqual([preStop(pod, "app"), preStop(pod, "log")], [sleep(7), sleep(3)]);
  });
  it("is added beside a native sidecar as well", () =>
    assert.deepEqual(preStop(run(nativePod(), wish).pod, "app"), sleep(7)));
  it("an override asks for it", () => {
    const pod = sidecarPod({ annotations: { "gracegate.dev/application-pre-stop-sleep": "4s" } });
    assert.deepEqual(preStop(run(pod).pod, "app"), sleep(4));
  });
  it("not before the proxy is rendered", () => assert.equal(preStop(run(plainPod(), wish).pod, "app"), undefined));
  it("not in a gateway", () => assert.equal(preStop(run(gatewayPod({ others: [app()] }), wish).pod, "app"), undefined));
  it("not longer than the limit leaves", () => {
    const { pod } = run(sidecarPod(), { sidecar: { applicationPreStopSleep: 100, maxGracePeriod: 60 } });
    assert.deepEqual(preStop(pod, "app"), sleep(49));
  });
  it("a second call with another policy changes or removes it", () => {
    const first = run(sidecarPod(), wish).pod;
    assert.deepEqual(preStop(run(first, { sidecar: { applicationPreStopSleep: 9 } }).pod, "app"), sleep(9));
    assert.equal(preStop(run(first).pod, "app"), undefined);
  });
});
