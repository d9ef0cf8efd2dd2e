/**
 * Replicas that manage their certificates themselves, with a Secret and configurations in memory, and clocks that a test moves.
 */
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { CertificateSource } from "../../src/tls/certificate-source.ts";
import type { Registrations } from "../../src/tls/registration.ts";
import type { SecretData } from "../../src/tls/self-managed-certificates.ts";
import { type SecretStore, type SelfEvents, type StoredSecret, selfManaged } from "../../src/tls/self-source.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** What the certificates are for. */
export const NAMES = ["gracegate.system.svc", "gracegate"];

/** A Secret and configurations in memory, shared by replicas. */
export class World {
  secret: StoredSecret | undefined;
  readonly configurations = new Map<string, string[]>([["gracegate", ["", ""]]]);
  writes = 0;
  generation = 0;
  isAway = false;
  /** Whether changes are told. */
  isHeard = true;
  /** Which configurations cannot be written. */
  isReadOnly: (name: string) => boolean = () => false;
  /** Told after a configuration was written. */
  onPublished: () => void = () => {};
  /** Its clock is that of the replicas, unless they have others. */
  readonly clock: Clock = { offset: 0, forward: 0 };
  readonly #listeners = new Set<() => void>();

  change(): void {
    if (!this.isHeard) return;
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
    now: () => Date.now() + this.clock.offset,
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
      return ["gracegate", ...[...this.configurations.keys()].filter((name) => name !== "gracegate")].map((name) => ({
        name,
        isAdvisory: name === "review",
        bundles: this.configurations.get(name)?.slice(),
        generation: String(this.generation),
      }));
    },
    publish: async ({ name }, bundle) => {
      this.#reach();
      if (this.isReadOnly(name)) throw new Error("the configurations are read-only");
      const bundles = this.configurations.get(name);
      if (bundles !== undefined)
        this.configurations.set(
          name,
          bundles.map(() => bundle),
        );
      this.onPublished();
      this.change();
    },
    follow: (onChange, _onUnreachable, signal) => this.#follow(onChange, signal),
  };

  edit(changes: SecretData): void {
    this.secret = { data: { ...this.secret?.data, ...changes }, version: String(++this.writes) };
    this.change();
  }
}

/** A replica's clocks: the wall clock is ahead by `offset`, the one that only goes forward by `forward`, milliseconds. */
export interface Clock {
  offset: number;
  forward: number;
}

/** One replica: a source, and the server that serves what it says. */
export class Replica {
  readonly source: CertificateSource;
  readonly steps: string[] = [];
  readonly unreachable: string[] = [];
  problem: string | undefined = "never looked";
  isRegistered: boolean | undefined;
  readonly #server: Server;
  readonly #stop = new AbortController();
  #followed: Promise<void> = Promise.resolve();

  constructor(world: World, clock: Clock) {
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
    this.source = selfManaged({
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

/** A world with replicas in it, two to begin with, and what the tests ask of them. */
export class Deployment {
  readonly world = new World();
  readonly clock: Clock = this.world.clock;
  replicas: Replica[] = [new Replica(this.world, this.clock), new Replica(this.world, this.clock)];

  /** Starts all replicas and waits until they are ready. */
  async start(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.start()));
    await eventually(() => this.replicas.every(({ source }) => source.notReady() === undefined));
  }

  async stop(): Promise<void> {
    for (const replica of this.replicas) await replica.stop();
  }

  /** The bundles that are registered for the first configuration. */
  bundles(): readonly string[] {
    return this.world.configurations.get("gracegate") ?? [];
  }

  served(): readonly (string | undefined)[] {
    return this.replicas.map(({ source }) => source.current()?.cert);
  }

  /** The steps of all replicas, sorted. */
  steps(): readonly string[] {
    return this.replicas.flatMap((replica) => replica.steps).sort();
  }

  /** Whether all serve what the Secret holds, and one bundle is registered everywhere. */
  isConsistent(): boolean {
    const bundles = this.bundles();
    return (
      this.served().every((cert) => cert === this.world.secret?.data["tls.crt"]) &&
      bundles.every((bundle) => bundle !== "" && bundle === bundles[0])
    );
  }

  /** Whether it is consistent and verifies. */
  isWhole(): boolean {
    return this.isConsistent() && this.replicas.every(({ problem }) => problem === undefined);
  }
}

/**
 * Gives each test of a suite a deployment of its own, and stops it afterwards; returns calls to that of the running test.
 *
 * @param made told of each before its test
 */
export function deploymentOfEachTest(made: (deployment: Deployment) => void) {
  let deployment: Deployment;
  beforeEach(() => {
    deployment = new Deployment();
    made(deployment);
  });
  afterEach(() => deployment.stop());
  return {
    start: () => deployment.start(),
    bundles: () => deployment.bundles(),
    served: () => deployment.served(),
    steps: () => deployment.steps(),
    isConsistent: () => deployment.isConsistent(),
    isWhole: () => deployment.isWhole(),
  };
}

/** Waits until something holds. */
export async function eventually(claim: () => boolean): Promise<void> {
  const end = performance.now() + 20_000;
  while (!claim()) {
    if (performance.now() > end) throw new Error(`did not come to hold: ${String(claim)}`);
    await wait(10);
  }
}
