import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { CertificateSource } from "./certificate-source.ts";
import type { SecretData } from "./kept-certificates.ts";
import { OVERLAP_MS } from "./renewal.ts";
import { type Registrations, type SecretStore, type SelfEvents, type StoredSecret, selfKept } from "./self-source.ts";

const DAY = 86_400_000;
const NAMES = ["gracegate.system.svc", "gracegate"];

/** A Secret and configurations in memory, shared by replicas. */
class World {
  secret: StoredSecret | undefined;
  readonly configurations = new Map<string, string[]>([["gracegate", ["", ""]]]);
  writes = 0;
  generation = 0;
  isAway = false;
  readonly #listeners = new Set<() => void>();

  change(): void {
    for (const listener of this.#listeners) listener();
  }

  #reach(): void {
    if (this.isAway) throw new Error("the API server is away");
  }

  async #follow(onChange: () => void, signal: AbortSignal): Promise<void> {
    this.#listeners.add(onChange);
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    this.#listeners.delete(onChange);
  }

  readonly store: SecretStore = {
    name: "Secret system/tls",
    read: async () => {
      this.#reach();
      await wait(1);
      return this.secret;
    },
    write: async (data, over) => {
      this.#reach();
      if (this.secret?.version !== over?.version) return false;
      this.writes++;
      this.secret = { data, version: String(this.writes) };
      this.change();
      return true;
    },
    follow: (onChange, _onUnreachable, signal) => this.#follow(onChange, signal),
  };

  readonly registrations: Registrations = {
    read: async () => {
      this.#reach();
      const bundles = this.configurations.get("gracegate")?.slice();
      return [{ name: "gracegate", bundles, generation: String(this.generation) }];
    },
    publish: async ({ name }, bundle) => {
      const bundles = this.configurations.get(name);
      if (bundles !== undefined)
        this.configurations.set(
          name,
          bundles.map(() => bundle),
        );
      this.change();
    },
    follow: (onChange, _onUnreachable, signal) => this.#follow(onChange, signal),
  };

  edit(changes: SecretData): void {
    this.secret = { data: { ...this.secret?.data, ...changes }, version: String(++this.writes) };
    this.change();
  }
}

/** One replica: a source, and the server that serves what it says. */
class Replica {
  readonly source: CertificateSource;
  readonly steps: string[] = [];
  readonly unreachable: string[] = [];
  problem: string | undefined = "never looked";
  isRegistered: boolean | undefined;
  readonly #server: Server;
  readonly #stop = new AbortController();
  #followed: Promise<void> = Promise.resolve();

  constructor(world: World, clock: { offset: number; forward: number }) {
    this.#server = createServer((_request, response) => response.end("ok"));
    this.#server.on("tlsClientError", () => {});
    const events: SelfEvents = {
      changed: () => {
        const current = this.source.current();
        if (current !== undefined) this.#server.setSecureContext({ cert: current.cert, key: current.key });
      },
      refused: () => {},
      stepped: (step) => this.steps.push(step),
      published: () => {},
      registered: (_name, isThere) => (this.isRegistered = isThere),
      verified: (problem) => (this.problem = problem),
      authorityEnds: () => {},
      unreachable: (reason) => this.unreachable.push(reason),
    };
    const { store, registrations } = world;
    this.source = selfKept({
      store,
      registrations,
      names: NAMES,
      lifetimes: { authorityMs: 3000 * DAY, servingMs: 90 * DAY },
      events,
      now: () => Date.now() + clock.offset,
      monotonic: () => performance.now() + clock.forward,
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    this.#followed = this.source.follow({ addresses: ["127.0.0.1"], port }, this.#stop.signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#followed;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function eventually(claim: () => boolean): Promise<void> {
  const end = performance.now() + 20_000;
  while (!claim()) {
    if (performance.now() > end) throw new Error(`did not come to hold: ${String(claim)}`);
    await wait(10);
  }
}

describe("certificates that the webhook keeps itself", () => {
  let world: World;
  let clock: { offset: number; forward: number };
  let replicas: Replica[];

  beforeEach(() => {
    world = new World();
    clock = { offset: 0, forward: 0 };
    replicas = [new Replica(world, clock), new Replica(world, clock)];
  });
  afterEach(async () => {
    for (const replica of replicas) await replica.stop();
  });

  const start = async () => {
    await Promise.all(replicas.map((replica) => replica.start()));
    await eventually(() => replicas.every(({ source }) => source.notReady() === undefined));
  };
  const bundles = () => world.configurations.get("gracegate") ?? [];
  const authorities = () => bundles()[0]?.split("-----BEGIN").length ?? 0;
  const served = () => replicas.map(({ source }) => source.current()?.cert);
  const steps = () => replicas.flatMap((replica) => replica.steps).sort();
  const isConsistent = () =>
    served().every((cert) => cert === world.secret?.data["tls.crt"]) &&
    bundles().every((bundle) => bundle !== "" && bundle === bundles()[0]);
  const isWhole = () => isConsistent() && replicas.every(({ problem }) => problem === undefined);

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
