import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { containerOf, environment, gatewayPod, optionsFor, preStop } from "../../test/unit/pods.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../pod/json.ts";
import type { PolicySpec } from "../policy/schema.ts";
import { HOOK_HEADER } from "./hook-token.ts";
import { runPipeline } from "./pipeline.ts";

const FIRST = "705ab4f5-6393-11e8-b7cc-42010a800002";
const SECOND = "0c9ea6d8-0000-4000-8000-000000000001";

function admitted(pod: JsonObject, uid: string | undefined, spec: PolicySpec = {}): JsonObject {
  return runPipeline(pod, "shop", { ...optionsFor(spec), uid }).pod;
}

/** What the hook carries and what hc is told. */
function tokensOf(pod: JsonObject): readonly (string | undefined)[] {
  const httpGet = objectAt(preStop(pod, "istio-proxy"), "httpGet");
  assert.equal(httpGet.path, "/drained");
  const carried = objectsAt(httpGet, "httpHeaders").map((header) => {
    assert.equal(header.name, HOOK_HEADER);
    return textAt(header, "value");
  });
  return [carried[0], environment(pod, "hc").HOOK_TOKEN];
}

describe("the token of the proxy's hook", () => {
  it("is the same for the hook and for hc, and new with every admission", () => {
    assert.deepEqual(tokensOf(admitted(gatewayPod(), FIRST)), [FIRST, FIRST]);
    assert.deepEqual(tokensOf(admitted(gatewayPod(), SECOND)), [SECOND, SECOND]);
  });

  it("stays in the second call, which has another uid", () => {
    const first = admitted(gatewayPod(), FIRST);
    assert.equal(admitted(first, SECOND), first);
  });

  it("is added to a pod that inject wrote without one", () => {
    const offline = admitted(gatewayPod(), undefined);
    assert.deepEqual(tokensOf(offline), [undefined, undefined]);
    assert.deepEqual(tokensOf(admitted(offline, FIRST)), [FIRST, FIRST]);
  });

  it("is not made of a uid that is no UUID", () => {
    for (const uid of ["", "u-1", `${FIRST}&x`, FIRST.repeat(2)]) {
      assert.deepEqual(tokensOf(admitted(gatewayPod(), uid)), [undefined, undefined], uid);
    }
  });

  it("is not there without hc's hook: hc's places are for nobody then", () => {
    const users = gatewayPod({ proxy: { lifecycle: { preStop: { httpGet: { path: "/drained", port: 18180 } } } } });
    for (const pod of [admitted(users, FIRST), admitted(gatewayPod(), FIRST, { gateway: { proxyStop: "Sleep" } })]) {
      assert.ok(containerOf(pod, "hc") !== undefined);
      assert.equal(environment(pod, "hc").HOOK_TOKEN, undefined);
    }
  });

  it("goes with the hook when a later policy wants another one", () => {
    const pod = admitted(admitted(gatewayPod(), FIRST), SECOND, { gateway: { proxyStop: "Sleep" } });
    assert.equal(environment(pod, "hc").HOOK_TOKEN, undefined);
  });
});
