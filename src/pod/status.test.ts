import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainPod } from "../../test/unit/pods.ts";
import { earlierStatus, isOurs } from "./status.ts";

const status = (text: string) => earlierStatus(plainPod({ annotations: { "gracegate.dev/status": text } }));

describe("earlierStatus", () => {
  it("a pod that was not here has none", () => {
    assert.deepEqual(earlierStatus(plainPod()), { present: false, codes: [], gracePeriod: undefined, wrote: {} });
  });

  for (const text of ["", "{", "[]", "null", '"x"', "5"]) {
    it(`${JSON.stringify(text)} counts as none`, () => assert.equal(status(text).present, false));
  }

  it("is read", () => {
    const read = status('{"codes":["GG205"],"gracePeriod":45,"wrote":{"hc":"img"}}');
    assert.deepEqual(read, { present: true, codes: ["GG205"], gracePeriod: 45_000, wrote: { hc: "img" } });
  });

  it("parts of the wrong type are left out", () => {
    const read = status('{"codes":"GG205","gracePeriod":"45","wrote":[1]}');
    assert.deepEqual(read, { present: true, codes: [], gracePeriod: undefined, wrote: {} });
  });
});

describe("isOurs", () => {
  const read = status('{"wrote":{"hc":"img","istio-proxy/preStop":{"sleep":{"seconds":5}},"__proto__":1}}');
  it("a value that was written is ours", () => assert.equal(isOurs(read, "hc", "img"), true));
  it("a value that somebody changed since is theirs", () => assert.equal(isOurs(read, "hc", "other"), false));
  it("a value that was never written is theirs", () => assert.equal(isOurs(read, "imagePullSecrets", "img"), false));
  it("a value that is gone is not ours", () => assert.equal(isOurs(read, "hc", undefined), false));
  it("an inherited name was not written", () => assert.equal(isOurs(read, "constructor", {}), false));
  it("a whole hook is compared", () => {
    assert.equal(isOurs(read, "istio-proxy/preStop", { sleep: { seconds: 5 } }), true);
    assert.equal(isOurs(read, "istio-proxy/preStop", { sleep: { seconds: 6 } }), false);
  });
});
