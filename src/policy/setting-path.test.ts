import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../pod/json.ts";
import { settingAt, specWith, withoutSetting } from "./setting-path.ts";

const spec = { mode: "Enforce", gateway: { hc: { image: "a", port: 1 } } };

describe("a setting by its path", () => {
  it("is found where it is set, and nowhere else", () => {
    assert.equal(settingAt(spec, "mode"), "Enforce");
    assert.equal(settingAt(spec, "gateway.hc.image"), "a");
    for (const path of ["gateway.hc.logLevel", "sidecar.margin", "mode.x", "constructor", "gateway.toString.name"]) {
      assert.equal(settingAt(spec, path), undefined, path);
    }
  });

  it("is written into a spec of its own", () => {
    assert.deepEqual(specWith("gateway.hc.image", "b"), { gateway: { hc: { image: "b" } } });
    assert.deepEqual(specWith("mode", "Observe"), { mode: "Observe" });
  });

  it("is taken out of a copy, and the rest stays", () => {
    const before = structuredClone(spec);
    assert.deepEqual(withoutSetting(spec, "gateway.hc.image"), { mode: "Enforce", gateway: { hc: { port: 1 } } });
    assert.deepEqual(withoutSetting(spec, "mode"), { gateway: spec.gateway });
    assert.deepEqual(withoutSetting(spec as JsonObject, "sidecar.margin"), spec);
    assert.deepEqual(spec, before);
  });
});
