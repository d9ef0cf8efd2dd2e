import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { app, gatewayPod, nativePod, plainPod, sidecarPod } from "../../test/unit/pods.ts";
import { proxyOf } from "./proxy.ts";

describe("proxyOf", () => {
  it("finds the proxy where it stands", () => {
    const proxy = proxyOf(sidecarPod({ others: [app(), app(undefined, "log")] }));
    assert.deepEqual([proxy?.list, proxy?.index, proxy?.native, proxy?.mode], ["containers", 2, false, "sidecar"]);
  });

  it("finds a native sidecar among the init containers", () => {
    const proxy = proxyOf(nativePod());
    assert.deepEqual([proxy?.list, proxy?.index, proxy?.native, proxy?.mode], ["initContainers", 0, true, "sidecar"]);
  });

  it("an init container without restartPolicy Always is no proxy", () => {
    assert.equal(proxyOf(nativePod({ proxy: { restartPolicy: "OnFailure" } })), undefined);
  });

  it("a pod without one has none, whatever its containers are", () => {
    assert.equal(proxyOf(plainPod()), undefined);
    assert.equal(proxyOf({ spec: { containers: "x" } }), undefined);
    assert.equal(proxyOf({ spec: { containers: [null, "istio-proxy"] } }), undefined);
    assert.equal(proxyOf({}), undefined);
  });

  const modes: readonly [string, object, string | undefined][] = [
    ["router", { args: ["proxy", "router", "--domain", "x"] }, "router"],
    ["waypoint", { args: ["proxy", "waypoint"] }, "waypoint"],
    ["a stub is not rendered, though it has args", { image: "auto" }, undefined],
    ["no args", { args: [] }, undefined],
    ["another program", { args: ["pilot-agent", "router"] }, undefined],
    ["an unknown mode", { args: ["proxy", "constructor"] }, undefined],
    ["args of the wrong type", { args: "proxy router" }, undefined],
  ];
  for (const [name, proxy, mode] of modes) {
    it(`what it runs: ${name}`, () => assert.equal(proxyOf(gatewayPod({ proxy: { ...proxy } }))?.mode, mode));
  }

  const images: readonly [string, object, string | undefined, boolean][] = [
    ["a tag says distroless", { image: "istio/proxyv2:1.31.0-distroless" }, undefined, true],
    ["a tag says nothing of it", { image: "istio/proxyv2:1.31.0" }, undefined, false],
    ["the annotation says what a stub becomes", { image: "auto" }, "distroless", true],
    ["the image itself beats the annotation", { image: "istio/proxyv2:1.31.0" }, "distroless", false],
    ["a debug image has a kill", { image: "auto" }, "debug", false],
  ];
  for (const [name, proxy, type, distroless] of images) {
    it(name, () => {
      const annotations: Record<string, string> = type === undefined ? {} : { "sidecar.istio.io/proxyImageType": type };
      assert.equal(proxyOf(gatewayPod({ proxy: { ...proxy }, annotations }))?.distroless, distroless);
    });
  }

  it("reads its preStop", () => {
    const proxy = proxyOf(gatewayPod({ proxy: { lifecycle: { preStop: { sleep: { seconds: 3 } } } } }));
    assert.equal(proxy?.preStop?.seconds, 3);
  });
});
