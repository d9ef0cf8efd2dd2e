/**
 * Policies from files and from the API server: the same behaviour, and what only a cluster can do to them.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Notice } from "../../src/codes/registry.ts";
import { clusterMeshConfig } from "../../src/kube/cluster-mesh-config.ts";
import { clusterPolicies } from "../../src/kube/cluster-policies.ts";
import type { JsonObject } from "../../src/pod/json.ts";
import { type Policy, policyObject } from "../../src/policy/validate.ts";
import { fileSource } from "../../src/sources/file-source.ts";
import { loadMeshFile, loadPolicyFiles } from "../../src/sources/policy-files.ts";
import type { Source, SourceEvents } from "../../src/sources/source.ts";
import { apiOf, fakeWorld, quickTimes } from "./cluster-worlds.ts";
import { type FakeApiServer, startFakeApiServer } from "./fake-api-server.ts";
import { type PolicyWorld, sourceSuite } from "./source-suite.ts";
import { eventually } from "./webhook-process.ts";

sourceSuite("policies from files", async (): Promise<PolicyWorld> => {
  const folder = mkdtempSync(join(tmpdir(), "gracegate-sources-"));
  const policies = join(folder, "policies");
  mkdirSync(policies);
  const fileOf = (namespace: string, name: string) => join(policies, `${namespace}-${name}.json`);
  const mesh = join(folder, "mesh.yaml");
  const started = <T>(start: { ok: true; source: Source<T> } | { ok: false }): Source<T> => {
    assert.ok(start.ok);
    return start.source;
  };
  return {
    put: async (namespace, name, spec) =>
      writeFileSync(fileOf(namespace, name), JSON.stringify(policyObject(name, namespace, spec))),
    remove: async (namespace, name) => rmSync(fileOf(namespace, name)),
    putMesh: async (yaml) => writeFileSync(mesh, yaml),
    policies: async (events) => started(fileSource(policies, loadPolicyFiles, events)),
    meshConfig: async (events) => started(fileSource(mesh, loadMeshFile, events)),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
});

sourceSuite("policies from an API server's stand-in", async () => fakeWorld(await startFakeApiServer()));

const ROOT = "gracegate-system";

describe("policies from a cluster", () => {
  let fake: FakeApiServer;
  let stop: AbortController;
  let followed: Promise<void>;
  let source: Source<readonly Policy[]>;
  let refused: Notice[];
  let unreachable: string[];
  let skipped: number;

  const policy = (drainTimeout: number): JsonObject => policyObject("default", "shop", { gateway: { drainTimeout } });
  const inForce = () => source.current()?.value.map(({ spec }) => (spec.gateway?.drainTimeout ?? 0) / 1000);
  const follow = (times = quickTimes) => {
    const events: SourceEvents = {
      changed: () => {},
      refused: (problems) => refused.push(...problems),
      unreachable: (reason) => unreachable.push(reason),
    };
    source = clusterPolicies(
      apiOf(fake.kubeconfig),
      events,
      { rootNamespace: ROOT, onSkipped: (count) => (skipped = count) },
      times,
    );
    followed = source.follow(stop.signal);
  };

  beforeEach(async () => {
    fake = await startFakeApiServer();
    stop = new AbortController();
    refused = [];
    unreachable = [];
    skipped = -1;
  });
  afterEach(async () => {
    stop.abort();
    await followed;
    await fake.close();
  });

  it("are not there before the first list, and there when it is empty", async () => {
    fake.fault = "errors";
    follow();
    await eventually(() => unreachable.length > 1);
    assert.equal(source.current(), undefined);
    assert.match(unreachable[0] ?? "", /gracepolicies: 500/);
    fake.fault = "none";
    await eventually(() => source.current() !== undefined);
    assert.deepEqual(source.current()?.value, []);
  });

  for (const fault of ["refuses", "errors", "forbids"] as const) {
    it(`stay in force while the API server ${fault}, and are read again afterwards`, async () => {
      fake.put(policy(36));
      follow();
      await eventually(() => inForce()?.[0] === 36);
      fake.fault = fault;
      fake.put(policy(50));
      fake.dropWatches();
      await eventually(() => unreachable.length > 2, 20_000);
      fake.put(policy(60));
      assert.ok(inForce()?.[0] === 36 || inForce()?.[0] === 50, `in force is ${inForce()}`);
      fake.fault = "none";
      await eventually(() => inForce()?.[0] === 60);
    });
  }

  for (const [fault, says] of [
    ["page", /gracepolicies.*: 200 with <html>log in/],
    ["no list", /gracepolicies: the answer is no list/],
  ] as const) {
    it(`are not taken away by a success with ${fault === "page" ? "a page" : "no list"} in it`, async () => {
      fake.put(policy(36));
      follow();
      await eventually(() => inForce()?.[0] === 36);
      fake.fault = fault;
      fake.dropWatches(true);
      await eventually(() => unreachable.some((reason) => says.test(reason)), 20_000);
      assert.deepEqual(inForce(), [36]);
      fake.fault = "none";
      fake.put(policy(60));
      await eventually(() => inForce()?.[0] === 60);
    });
  }

  it("are read anew after 410 Gone, whether it comes as a status or as an event", async () => {
    fake.put(policy(36));
    follow();
    await eventually(() => inForce()?.[0] === 36);
    fake.dropWatches(true);
    fake.put(policy(50));
    await eventually(() => inForce()?.[0] === 50, 20_000);
    fake.tell(JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } }));
    fake.dropWatches();
    fake.put(policy(60));
    await eventually(() => inForce()?.[0] === 60, 20_000);
  });

  it("survive lines that are no events, and bookmarks", async () => {
    fake.put(policy(36));
    follow();
    await eventually(() => inForce()?.[0] === 36);
    fake.tell("<html>");
    fake.tell("{}");
    fake.tell(JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: "999" } } }));
    fake.put(policy(50));
    await eventually(() => inForce()?.[0] === 50, 20_000);
  });

  it("are listed again now and then, which heals what a watch missed", async () => {
    follow({ ...quickTimes, resync: 200 });
    await eventually(() => fake.requests.filter((line) => line.startsWith("GET")).length > 5);
    assert.deepEqual(unreachable, []);
  });

  it("of 1,200 objects are read in pages, and changes among them are told once", async () => {
    for (let n = 0; n < 1200; n++) fake.put(policyObject(`p${n}`, `team-${n % 100}`, { gateway: { drainTimeout: n } }));
    follow();
    await eventually(() => inForce()?.length === 1200);
    const lists = fake.requests.filter((line) => line.endsWith("/gracepolicies"));
    assert.ok(lists.length >= 3, `${lists.length} requests`);
  });

  it("that cannot be used are told once and counted, until they are mended", async () => {
    fake.put(policyObject("a", "shop", { gateway: { drainTimeout: "36 sec" } }));
    fake.put(policyObject("b", "shop", { gateway: { drainTimeout: 36 } }));
    follow({ ...quickTimes, resync: 100 });
    await eventually(() => skipped === 1);
    await eventually(() => fake.requests.length > 6);
    assert.equal(refused.length, 1);
    assert.equal(refused[0]?.code, "GG602");
    assert.match(refused[0]?.text ?? "", /GracePolicy shop\/a: spec\.gateway\.drainTimeout is "36 sec"/);
    fake.put(policyObject("a", "shop", { gateway: { drainTimeout: 1 } }));
    await eventually(() => skipped === 0);
  });

  it("beyond the bound of a namespace are skipped, told once and counted; the root namespace has none", async () => {
    const nameOf = (n: number) => `p${String(n).padStart(3, "0")}`;
    const put = (namespace: string, n: number) =>
      fake.put(policyObject(nameOf(n), namespace, { gateway: { drainTimeout: n } }));
    for (let n = 0; n < 103; n++) {
      put("shop", n);
      put(ROOT, n);
    }
    put("edge", 1);
    follow({ ...quickTimes, resync: 300 });
    await eventually(() => skipped === 3);
    const of = (namespace: string) =>
      (source.current()?.value ?? []).filter((one) => one.namespace === namespace).map(({ name }) => name);
    assert.deepEqual(
      of("shop"),
      Array.from({ length: 100 }, (_, n) => nameOf(n)),
    );
    assert.deepEqual([of(ROOT).length, of("edge").length], [103, 1]);
    assert.equal(refused.length, 1);
    assert.match(
      refused[0]?.text ?? "",
      /namespace "shop" has 103 GracePolicies; the first 100 by name hold, and "p100", "p101", "p102" are skipped/,
    );
    fake.remove("GracePolicy", "shop", nameOf(7));
    await eventually(() => of("shop").includes(nameOf(100)));
    assert.equal(of("shop").includes(nameOf(7)), false);
    await eventually(() => skipped === 2);
  });

  it("of more than 16 KiB are skipped by name, and the annotations of an object are none of it", async () => {
    const env = Array.from({ length: 5 }, (_, n) => ({ name: `V${n}`, value: "x".repeat(4000) }));
    const object = policyObject("large", "shop", { gateway: { hc: { extraEnv: env } } });
    fake.put(object);
    const annotated = policyObject("annotated", "shop", { gateway: { drainTimeout: 40 } });
    fake.put({
      ...annotated,
      metadata: { ...(annotated.metadata as JsonObject), annotations: { a: "y".repeat(200_000) } },
    });
    follow();
    await eventually(() => skipped === 1);
    assert.deepEqual(inForce(), [40]);
    assert.match(refused[0]?.text ?? "", /GracePolicy shop\/large: spec has [0-9]+ bytes, more than the 16384/);
  });

  it("leave out fields that only a newer CRD knows, as after a rollback", async () => {
    const spec = {
      tomorrow: 1,
      gateway: { drainTimeout: 36, hc: { later: { x: [] } } },
      sidecar: { drainTimeout: "20s" },
    };
    fake.put(policyObject("newer", "shop", spec));
    follow(quickTimes);
    await eventually(() => source.current() !== undefined);
    assert.deepEqual(
      source.current()?.value.map((policy) => policy.spec),
      [{ gateway: { drainTimeout: 36_000, hc: {} }, sidecar: { drainTimeout: 20_000 } }],
    );
    assert.equal(skipped, 0);
  });

  it("end at once when nobody wants them any more, even while the API server is silent", async () => {
    fake.fault = "silent";
    follow();
    await eventually(() => fake.requests.length > 0);
    stop.abort();
    await followed;
  });
});

describe("a mesh config from a cluster", () => {
  it("sets nothing where there is no ConfigMap, or none that can be read", async () => {
    const fake = await startFakeApiServer();
    const stop = new AbortController();
    const refused: Notice[] = [];
    const events: SourceEvents = {
      changed: () => {},
      refused: (problems) => refused.push(...problems),
      unreachable: () => {},
    };
    const map = { namespace: "istio-system", name: "istio" };
    const source = clusterMeshConfig(apiOf(fake.kubeconfig), map, events, quickTimes);
    const followed = source.follow(stop.signal);
    await eventually(() => source.current() !== undefined);
    assert.deepEqual(source.current(), { value: undefined });
    fake.put({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "istio", namespace: "istio-system" },
      data: { mesh: "- a" },
    });
    await eventually(() => refused.length === 1);
    assert.deepEqual(source.current(), { value: undefined });
    stop.abort();
    await followed;
    await fake.close();
  });
});
