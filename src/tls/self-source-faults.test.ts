/**
 * What the self-kept certificates do where clocks differ, nobody knows what is registered, or nothing verifies.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  type Clock,
  DAY,
  type Deployment,
  deploymentOfEachTest,
  eventually,
  HOUR,
  Replica,
  type World,
} from "../../test/unit/certificate-world.ts";
import { FORGET_MS, OVERLAP_MS, PATIENCE_MS } from "./renewal.ts";

describe("certificates that the webhook keeps itself, in trouble", () => {
  let deployment: Deployment;
  let world: World;
  let clock: Clock;
  let replicas: Replica[];
  const { start, bundles, served, steps, isConsistent, isWhole } = deploymentOfEachTest((made) => {
    deployment = made;
    ({ world, clock, replicas } = made);
  });
  const secretNow = () => world.secret;

  it("a replica whose clock is behind neither writes nor stays behind, and is ready", async () => {
    const behind = new Replica(world, { offset: -3 * HOUR, forward: 0 });
    replicas.push(behind);
    await start();
    await eventually(isWhole);
    clock.offset = 61 * DAY;
    world.change();
    await eventually(() => steps().includes("issue") && isConsistent() && behind.problem === undefined);
    await wait(500);
    assert.deepEqual(steps(), ["begin", "issue"]);
    assert.equal(behind.source.notReady(), undefined);
  });

  it("nothing is written while the API server's clock is behind, and all go on serving", async () => {
    for (const replica of replicas) await replica.stop();
    replicas = deployment.replicas = [
      new Replica(world, { offset: 0, forward: 0 }),
      new Replica(world, { offset: 0, forward: 0 }),
    ];
    await start();
    await eventually(isWhole);
    const before = { secret: world.secret, served: served() };
    clock.offset = -3 * HOUR;
    world.change();
    await eventually(() => replicas.every(({ unreachable }) => /the clocks differ/.test(unreachable.at(-1) ?? "")));
    assert.deepEqual({ secret: world.secret, served: served() }, before);
    assert.ok(replicas.every(({ source }) => source.notReady() === undefined));
    clock.offset = 0;
    for (const replica of replicas) replica.problem = "not looked again";
    await eventually(isWhole);
    assert.deepEqual(steps(), ["begin"]);
  });

  it("a new replica leaves a Secret that was deleted to those that know what was in it", async () => {
    await start();
    await eventually(isWhole);
    const before = served()[0];
    // Those that know it do not learn of it at once.
    world.isHeard = false;
    world.secret = undefined;
    const late = new Replica(world, clock);
    await late.start();
    await eventually(() => /one is registered/.test(late.unreachable.at(-1) ?? ""));
    world.isHeard = true;
    world.change();
    replicas.push(late);
    await eventually(() => served().every((cert) => cert === before) && isWhole());
    assert.deepEqual(steps(), ["begin", "restore"]);
  });

  it("makes an authority where nobody knows the one that is registered, which stays trusted for ten minutes", async () => {
    await start();
    await eventually(isWhole);
    for (const replica of replicas) await replica.stop();
    const [before = ""] = bundles();
    world.secret = undefined;
    replicas = deployment.replicas = [new Replica(world, clock)];
    await replicas[0]?.start();
    await eventually(() => /one is registered/.test(replicas[0]?.unreachable.at(-1) ?? ""));
    assert.equal(world.secret, undefined);
    clock.forward += PATIENCE_MS;
    await eventually(() => world.secret !== undefined && isWhole());
    const made = secretNow()?.data["ca.crt"];
    assert.equal(bundles()[0], `${made}${before}`);
    await eventually(() => {
      clock.forward += FORGET_MS / 20;
      world.change();
      return steps().includes("forget");
    });
    await eventually(() => bundles()[0] === world.secret?.data["ca.crt"] && isWhole());
  });

  it("is not ready with a certificate that ended, and again when there is a new one", async () => {
    await start();
    await eventually(isWhole);
    world.isAway = true;
    clock.offset = 91 * DAY;
    assert.match(replicas[0]?.source.notReady() ?? "", /^the certificate ended at 20/);
    world.isAway = false;
    world.change();
    await eventually(() => replicas.every(({ source }) => source.notReady() === undefined));
    assert.deepEqual(steps(), ["begin", "issue"]);
  });

  it("is not ready any more when its certificate does not verify for a while, and again when it does", async () => {
    await start();
    await eventually(isWhole);
    world.isReadOnly = () => true;
    world.configurations.set("gracegate", ["garbage", "garbage"]);
    world.change();
    await eventually(() => replicas.every(({ unreachable }) => /read-only/.test(unreachable.at(-1) ?? "")));
    assert.ok(replicas.every(({ source }) => source.notReady() === undefined));
    clock.forward += 20_000;
    assert.match(replicas[0]?.source.notReady() ?? "", /^the certificate does not verify: .*read-only/);
    world.isReadOnly = () => false;
    await eventually(() => replicas.every(({ source }) => source.notReady() === undefined) && isWhole());
  });

  it("stays ready while configurations cannot be written, but what is served verifies with them", async () => {
    await start();
    await eventually(isWhole);
    const before = served()[0];
    world.isReadOnly = () => true;
    for (const replica of replicas) replica.problem = "not looked again";
    world.secret = undefined;
    world.change();
    await eventually(
      () =>
        steps().includes("restore") && replicas.every(({ unreachable }) => /read-only/.test(unreachable.at(-1) ?? "")),
    );
    clock.forward += 20_000;
    assert.deepEqual(
      replicas.map(({ source, problem }) => [source.notReady(), problem]),
      [
        [undefined, undefined],
        [undefined, undefined],
      ],
    );
    assert.equal(served()[0], before);
  });

  it("writes what can be written, and stays ready, while only the warnings' configuration is locked", async () => {
    world.configurations.set("review", [""]);
    await start();
    await eventually(isWhole);
    world.isReadOnly = (name) => name === "review";
    world.configurations.set("review", ["garbage"]);
    world.configurations.set("gracegate", ["garbage", "garbage"]);
    for (const replica of replicas) replica.problem = undefined;
    world.change();
    await eventually(() => isConsistent() && replicas.every(({ problem }) => problem !== undefined));
    clock.forward += 20_000;
    assert.ok(replicas.every(({ source }) => source.notReady() === undefined));
    assert.deepEqual(world.configurations.get("review"), ["garbage"]);
  });

  it("renews its authority while only the warnings' configuration is locked", async () => {
    world.configurations.set("review", [""]);
    await start();
    await eventually(isWhole);
    world.isReadOnly = (name) => name === "review";
    world.edit({ ...world.secret?.data, "ca.crt": "", "ca.key": "" });
    await eventually(() => steps().includes("restore") && bundles()[0]?.split("-----BEGIN").length === 3);
    await eventually(() => {
      clock.forward += OVERLAP_MS;
      world.change();
      return steps().includes("switch");
    });
    await eventually(isConsistent);
    assert.ok(replicas.every(({ source }) => source.notReady() === undefined));
  });

  it("stays ready when the API server goes away between a write and reading it again", async () => {
    await start();
    await eventually(isWhole);
    for (const replica of replicas) replica.problem = "not looked again";
    world.onPublished = () => (world.isAway = true);
    world.secret = undefined;
    world.change();
    await eventually(() => replicas.every(({ unreachable }) => /is away/.test(unreachable.at(-1) ?? "")));
    assert.ok(replicas.some(({ problem }) => problem === undefined));
    clock.forward += 20_000;
    assert.ok(replicas.every(({ source }) => source.notReady() === undefined));
  });

  for (const days of [70, 100]) {
    it(`neither writes nor becomes unready when the API server's clock alone goes ${days} days ahead`, async () => {
      for (const replica of replicas) await replica.stop();
      const right = { offset: 0, forward: 0 };
      replicas = deployment.replicas = [new Replica(world, right), new Replica(world, right)];
      await start();
      await eventually(isWhole);
      const before = world.secret;
      clock.offset = days * DAY;
      for (const replica of replicas) replica.problem = "not looked again";
      world.change();
      await eventually(() =>
        replicas.every(
          ({ problem, unreachable }) => problem === undefined || /clocks differ/.test(unreachable.at(-1) ?? ""),
        ),
      );
      assert.equal(world.secret, before);
      assert.ok(replicas.every(({ source }) => source.notReady() === undefined));
    });
  }
});
