/**
 * What every source of policies does, whatever it reads. Run for files, for a stand-in of the API server, and in
 * test/e2e for a real one.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Notice } from "../../src/codes/registry.ts";
import type { JsonObject } from "../../src/pod/json.ts";
import type { MeshConfig } from "../../src/policy/mesh-config.ts";
import type { Policy } from "../../src/policy/validate.ts";
import type { Source, SourceEvents } from "../../src/sources/source.ts";
import { eventually } from "./webhook-process.ts";

/** Where policies are kept, and the sources that read there. */
export interface PolicyWorld {
  put(namespace: string, name: string, spec: JsonObject): Promise<void>;
  remove(namespace: string, name: string): Promise<void>;
  putMesh(yaml: string): Promise<void>;
  policies(events: SourceEvents): Promise<Source<readonly Policy[]>>;
  meshConfig(events: SourceEvents): Promise<Source<MeshConfig | undefined>>;
  close(): Promise<void>;
}

/** Declares the tests. */
export function sourceSuite(name: string, makeWorld: () => Promise<PolicyWorld>, skip: string | false = false): void {
  describe(name, { skip }, () => {
    let world: PolicyWorld;
    let source: Source<readonly Policy[]>;
    let mesh: Source<MeshConfig | undefined>;
    let changes = 0;
    const refused: Notice[] = [];
    const stop = new AbortController();
    let followed: Promise<unknown>;
    const events: SourceEvents = {
      changed: () => changes++,
      refused: (problems) => refused.push(...problems),
      unreachable: () => {},
    };
    const seen = () => (source.current()?.value ?? []).map(({ namespace, name }) => `${namespace}/${name}`).sort();
    const drainTimeouts = () =>
      (source.current()?.value ?? []).map(({ spec }) => (spec.gateway?.drainTimeout ?? 0) / 1000).sort();

    before(async () => {
      world = await makeWorld();
      await world.put("shop", "default", { gateway: { drainTimeout: "36s" } });
      await world.putMesh("defaultConfig: { terminationDrainDuration: 20s }");
      source = await world.policies(events);
      mesh = await world.meshConfig(events);
      followed = Promise.all([source.follow(stop.signal), mesh.follow(stop.signal)]);
    });

    after(async () => {
      stop.abort();
      await followed;
      await world.close();
    });

    it("has what is there at the start", async () => {
      await eventually(() => source.current() !== undefined && mesh.current() !== undefined);
      assert.deepEqual(seen(), ["shop/default"]);
      assert.deepEqual(drainTimeouts(), [36]);
      assert.equal(mesh.current()?.value?.terminationDrainDuration, 20_000);
    });

    it("sees one more, and says that something changed", async () => {
      const before = changes;
      await world.put("edge", "default", { gateway: { drainTimeout: 50 } });
      await eventually(() => seen().length === 2);
      assert.deepEqual(seen(), ["edge/default", "shop/default"]);
      assert.ok(changes > before);
    });

    it("sees a change", async () => {
      await world.put("shop", "default", { gateway: { drainTimeout: "1m" } });
      await eventually(() => drainTimeouts().includes(60));
      assert.deepEqual(drainTimeouts(), [50, 60]);
    });

    it("tells which field of a policy cannot be used, and the others stay in force", async () => {
      await world.put("bad", "broken", { gateway: { hc: { port: 80, controlPort: 80 } } });
      await eventually(() => refused.length > 0);
      assert.match(refused[0]?.text ?? "", /broken/);
      assert.match(
        refused[0]?.text ?? "",
        /spec\.gateway\.hc\.controlPort uses one port twice; port and controlPort must differ/,
      );
      assert.deepEqual(drainTimeouts(), [50, 60]);
    });

    it("takes the policy as soon as it is mended", async () => {
      await world.put("bad", "broken", { gateway: { drainTimeout: 70 } });
      await eventually(() => drainTimeouts().includes(70));
    });

    it("forgets one that is removed", async () => {
      await world.remove("bad", "broken");
      await world.remove("edge", "default");
      await eventually(() => seen().length === 1);
      assert.deepEqual(drainTimeouts(), [60]);
    });

    it("sees a change of the mesh config, and keeps the last good one where it is none", async () => {
      await world.putMesh("defaultConfig: { terminationDrainDuration: 44s }");
      await eventually(() => mesh.current()?.value?.terminationDrainDuration === 44_000);
      refused.length = 0;
      await world.putMesh("defaultConfig: [");
      await eventually(() => refused.length > 0);
      assert.match(refused[0]?.text ?? "", /is no mesh config/);
      assert.equal(mesh.current()?.value?.terminationDrainDuration, 44_000);
    });
  });
}
