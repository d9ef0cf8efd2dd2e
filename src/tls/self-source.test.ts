import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  type Clock,
  DAY,
  deploymentOfEachTest,
  eventually,
  NAMES,
  type Replica,
  type World,
} from "../../test/unit/certificate-world.ts";
import { OVERLAP_MS } from "./renewal.ts";

describe("certificates that the webhook keeps itself", () => {
  let world: World;
  let clock: Clock;
  let replicas: Replica[];
  const { start, bundles, served, steps, isConsistent, isWhole } = deploymentOfEachTest((made) => {
    ({ world, clock, replicas } = made);
  });
  const authorities = () => bundles()[0]?.split("-----BEGIN").length ?? 0;

  it("two replicas that start at the same instant make one set, and are ready once it verifies", async () => {
    assert.match(replicas[0]?.source.notReady() ?? "", /does not verify yet/);
    await start();
    assert.deepEqual(steps(), ["begin"]);
    assert.equal(new Set(served()).size, 1);
    await eventually(isWhole);
    const leaf = new X509Certificate(served()[0] ?? "");
    assert.deepEqual(
      NAMES.map((name) => leaf.checkHost(name) !== undefined),
      [true, true],
    );
  });

  it("is renewed under the same authority when two thirds of its life are over", async () => {
    await start();
    const before = { ca: world.secret?.data["ca.crt"], tls: world.secret?.data["tls.crt"] };
    clock.offset = 61 * DAY;
    world.change();
    await eventually(() => world.secret?.data["tls.crt"] !== before.tls && isConsistent());
    assert.equal(world.secret?.data["ca.crt"], before.ca);
    assert.deepEqual(steps(), ["begin", "issue"]);
  });

  it("renews its authority by overlap: announced, switched after the union stood, forgotten later", async () => {
    await start();
    const before = { ca: world.secret?.data["ca.crt"] ?? "", tls: served()[0] };
    clock.offset = 1950 * DAY;
    world.change();
    await eventually(() => steps().includes("issue"));
    clock.offset = 2001 * DAY;
    world.change();
    await eventually(() => steps().includes("announce") && isConsistent());
    const next = world.secret?.data["next-ca.crt"] ?? "";
    await eventually(() => bundles()[0] === before.ca + next);
    await wait(300);
    assert.ok(!steps().includes("switch"), "switched before the union stood");
    clock.forward += OVERLAP_MS;
    await eventually(() => steps().includes("switch") && isConsistent());
    assert.equal(world.secret?.data["ca.crt"], next);
    await eventually(() => bundles()[0] === next + before.ca);
    clock.forward += 600_000;
    world.change();
    await eventually(() => steps().includes("forget") && isConsistent());
    await eventually(() => bundles()[0] === next);
  });

  it("a union that somebody overwrote in the meantime has not stood", async () => {
    await start();
    world.edit({ ...world.secret?.data, "ca.crt": "", "ca.key": "" });
    await eventually(() => steps().includes("restore") && authorities() === 3);
    await wait(300);
    clock.forward += OVERLAP_MS / 2;
    world.configurations.set("gracegate", ["garbage", "garbage"]);
    world.generation++;
    world.change();
    await eventually(() => authorities() === 3);
    clock.forward += OVERLAP_MS / 2;
    world.change();
    await wait(500);
    assert.ok(!steps().includes("switch"));
  });

  const damages: readonly (readonly [string, (world: World) => void, keepsServing: boolean])[] = [
    ["the Secret is deleted", (w) => (w.secret = undefined), true],
    ["the Secret is emptied", (w) => (w.secret = { data: {}, version: String(++w.writes) }), true],
    ["the authority becomes garbage", (w) => w.edit({ "ca.crt": "garbage" }), true],
    ["its key becomes garbage", (w) => w.edit({ "ca.key": "garbage" }), true],
    ["the serving certificate becomes garbage", (w) => w.edit({ "tls.crt": "garbage" }), false],
    ["the serving key becomes garbage", (w) => w.edit({ "tls.key": "garbage" }), false],
    [
      "somebody changes a caBundle by hand",
      (w) => w.configurations.set("gracegate", ["x", w.configurations.get("gracegate")?.[1] ?? ""]),
      true,
    ],
    ["somebody empties the caBundles", (w) => w.configurations.set("gracegate", ["", ""]), true],
    [
      "another webhook joins the configuration",
      (w) => w.configurations.set("gracegate", [...(w.configurations.get("gracegate") ?? []), ""]),
      true,
    ],
  ];
  for (const [name, damage, keepsServing] of damages) {
    it(`heals when ${name}`, async () => {
      await start();
      await eventually(isWhole);
      const before = served()[0];
      damage(world);
      for (const replica of replicas) replica.problem = "not looked again";
      world.change();
      await eventually(isWhole);
      assert.equal(served()[0] === before, keepsServing);
      assert.ok(
        replicas.every(({ source }) => source.notReady() === undefined),
        "a replica became unready",
      );
    });
  }

  it("is ready without a configuration, says that it is missing, and takes it when it is there", async () => {
    world.configurations.delete("gracegate");
    await start();
    assert.equal(replicas[0]?.isRegistered, false);
    assert.equal(world.configurations.size, 0, "a configuration was made");
    world.configurations.set("gracegate", [""]);
    world.change();
    await eventually(() => replicas.every((replica) => replica.isRegistered === true) && isWhole());
  });

  it("goes on serving while the API server is away, and says so", async () => {
    await start();
    const before = served();
    world.isAway = true;
    world.change();
    await eventually(() => replicas.every(({ unreachable }) => unreachable.length > 0));
    assert.deepEqual(served(), before);
    assert.ok(replicas.every(({ source }) => source.notReady() === undefined));
    world.isAway = false;
    world.secret = undefined;
    await eventually(() => world.secret !== undefined && isWhole());
  });

  it("is not ready while the API server is away from the start", async () => {
    world.isAway = true;
    await Promise.all(replicas.map((replica) => replica.start()));
    await eventually(() => replicas.every(({ unreachable }) => unreachable.length > 0));
    assert.match(replicas[0]?.source.notReady() ?? "", /the API server is away/);
  });
});
