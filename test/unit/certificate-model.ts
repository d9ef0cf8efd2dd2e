/**
 * Replicas that decide by themselves about one Secret, in a world where certificates are names and time is a number: it holds
 * what they decide against what a client trusts. Faults come from outside. What a real API server and real certificates do
 * with the same decisions, src/tls/self-source.test.ts and the end-to-end tests show.
 */
import assert from "node:assert/strict";
import { BACKDATE_MS } from "../../src/tls/authority.ts";
import { type Clocks, earliest, isValidAt, latest } from "../../src/tls/clocks.ts";
import { type Registration, standingOf } from "../../src/tls/registration.ts";
import { bundleOf, decide, type Observation, OVERLAP_MS, type Recipe, type State } from "../../src/tls/renewal.ts";
import type {
  Authority,
  Certificate,
  Contents,
  SelfManagedCertificates,
} from "../../src/tls/self-managed-certificates.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2030, 0, 1);
const LIVES = { authorityMs: 4 * HOUR, servingMs: 40 * MINUTE };
/** Between two looks of a replica, and until an answer of the API server; at most. */
const LOOK_MS = 30_000;
const ANSWER_MS = 5_000;
/** What may happen to them. */
export type Fault =
  | { readonly kind: "crash"; readonly replica: number; readonly forMs: number }
  | { readonly kind: "cut off"; readonly replica: number; readonly forMs: number }
  | { readonly kind: "lost answer"; readonly replica: number; readonly forMs: number }
  | { readonly kind: "API server's clock"; readonly forMs: number }
  | { readonly kind: "Secret deleted" };

/** All that a run depends on. */
export interface Run {
  readonly seed: number;
  /** Of each replica's own clock, milliseconds. */
  readonly offsets: readonly number[];
  /** How far the API server's clock jumps, milliseconds. */
  readonly jump: number;
  readonly faults: readonly (readonly [atMs: number, Fault])[];
}

class Replica {
  state: State;
  /** Counts its processes: what one of them began, the next does not end. */
  process = 0;
  readonly suffers = new Set<Fault["kind"]>();
  serves: { readonly leaf: Certificate; readonly ca: string } | undefined;
  readonly offset: number;

  constructor(offset: number, jitter: number) {
    this.offset = offset;
    this.state = { jitter };
  }
}

/** The world and the replicas in it. */
export class Model {
  now = 0;
  serverOffset = 0;
  /** Another object with every write, which is its resourceVersion. */
  secret: SelfManagedCertificates | undefined;
  made = 0;
  readonly steps: string[] = [];
  readonly authorities = new Map<string, Authority>();
  /** Authorities that nobody could know before they were served. */
  readonly begun = new Set<string>();
  readonly wasTrusted = new Set<string>();
  readonly configurations = [
    { name: "gracegate", isAdvisory: false, bundle: "", generation: 0 },
    { name: "review", isAdvisory: true, bundle: "", generation: 0 },
  ];
  /** Since when an authority stands in the configuration that pods hang on. */
  readonly trustedSince = new Map<string, number>();
  readonly replicas: readonly Replica[];
  readonly #queue: { readonly at: number; readonly act: () => void }[] = [];
  #random: number;

  constructor({ seed, offsets, jump, faults }: Run) {
    this.#random = seed;
    this.replicas = offsets.map((offset) => new Replica(offset, this.random()));
    for (const [at, fault] of faults) this.#after(at, () => this.#suffer(fault, jump));
    for (const replica of this.replicas) this.#after(this.random() * 1000, () => this.#look(replica));
  }

  /** 0 to 1: mulberry32, so that a run can be repeated. */
  random(): number {
    this.#random = (this.#random + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#random ^ (this.#random >>> 15), 1 | this.#random);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  runUntil(end: number): void {
    for (;;) {
      let next = 0;
      for (const [index, { at }] of this.#queue.entries()) if (at < (this.#queue[next]?.at ?? 0)) next = index;
      const event = this.#queue[next];
      if (event === undefined || event.at > end) break;
      this.#queue.splice(next, 1);
      this.now = event.at;
      event.act();
    }
    this.now = end;
  }

  #after(ms: number, act: () => void): void {
    this.#queue.push({ at: this.now + ms, act });
  }

  #suffer(fault: Fault, jump: number): void {
    switch (fault.kind) {
      case "crash": {
        const replica = this.#replica(fault.replica);
        const process = ++replica.process;
        replica.serves = undefined;
        replica.state = { jitter: this.random() };
        this.#after(fault.forMs, () => replica.process === process && this.#look(replica));
        return;
      }
      case "cut off":
      case "lost answer": {
        const { suffers } = this.#replica(fault.replica);
        suffers.add(fault.kind);
        this.#after(fault.forMs, () => suffers.delete(fault.kind));
        return;
      }
      case "API server's clock":
        this.serverOffset = jump;
        this.#after(fault.forMs, () => (this.serverOffset = 0));
        return;
      case "Secret deleted":
        this.secret = undefined;
    }
  }

  #replica(index: number): Replica {
    return this.replicas[index % this.replicas.length] as Replica;
  }

  #clocks(replica: Replica): Clocks {
    return { server: START + this.now + this.serverOffset, own: START + this.now + replica.offset };
  }

  /** One look: both reads at instants of their own, and an answer later what came of it. */
  #look(replica: Replica): void {
    const { process } = replica;
    const isAlive = () => replica.process === process;
    const again = (ms: number) => this.#after(ms, () => isAlive() && this.#look(replica));
    if (replica.suffers.has("cut off")) {
      again(LOOK_MS * this.random());
      return;
    }
    const seen: { secret?: SelfManagedCertificates | undefined; registered?: readonly Registration[] } = {};
    const reads = [
      () => (seen.secret = this.secret),
      () => (seen.registered = this.configurations.map(registrationOf)),
    ];
    if (this.random() < 0.5) reads.reverse();
    reads[0]?.();
    this.#after(this.random() * ANSWER_MS, () => {
      reads[1]?.();
      if (isAlive()) this.#act(replica, seen.secret, seen.registered ?? [], isAlive, again);
    });
  }

  #act(
    replica: Replica,
    secret: SelfManagedCertificates | undefined,
    registered: readonly Registration[],
    isAlive: () => boolean,
    again: (ms: number) => void,
  ): void {
    const clocks = this.#clocks(replica);
    const trusted = this.#authoritiesIn(registered.flatMap(({ bundles }) => bundles ?? []).join(""));
    const observation: Observation = { contents: this.#contentsOf(secret), registered, trusted };
    const { state, action } = decide(replica.state, { ...clocks, monotonic: this.now }, observation);
    replica.state = state;
    if (action.do === "wait") {
      again(this.random() * 2000);
      return;
    }
    const answer = this.random() * ANSWER_MS;
    if (action.do === "write") {
      const set = this.#make(action.recipe, clocks);
      this.#after(answer, () => {
        if (!isAlive() || replica.suffers.has("cut off")) {
          again(this.random() * LOOK_MS);
          return;
        }
        if (this.secret === secret) {
          this.secret = set;
          this.steps.push(action.step);
          if (action.step === "begin") this.begun.add(set.ca.cert);
        }
        again(replica.suffers.has("lost answer") ? this.random() * LOOK_MS : 0);
      });
      return;
    }
    const { set, publishTo } = action;
    const bundle = bundleOf(set);
    replica.serves = { leaf: set.serving, ca: set.ca.cert };
    this.#checkOverlap(set);
    this.#checkTrust();
    for (const { name } of publishTo) {
      this.#after(answer, () => {
        if (!isAlive() || replica.suffers.has("cut off")) return;
        this.#publish(name, bundle);
        const standing = standingOf(replica.state.standing, bundle, this.configurations.map(registrationOf), this.now);
        replica.state = { ...replica.state, standing };
      });
    }
    // A change wakes a replica, mostly.
    again(answer + this.random() * (publishTo.length > 0 || this.random() < 0.1 ? 2000 : LOOK_MS));
  }

  #publish(name: string, bundle: string): void {
    const configuration = this.configurations.find((one) => one.name === name);
    if (configuration === undefined) return;
    if (configuration.bundle !== bundle) configuration.generation++;
    configuration.bundle = bundle;
    if (configuration.isAdvisory) return;
    for (const cert of this.trustedSince.keys()) if (!bundle.includes(cert)) this.trustedSince.delete(cert);
    for (const { cert } of this.#authoritiesIn(bundle)) {
      if (!this.trustedSince.has(cert)) this.trustedSince.set(cert, this.now);
    }
    this.#checkTrust();
  }

  /** The authority of what is served has stood for a minute, unless there was nothing to trust before. */
  #checkOverlap({ ca }: SelfManagedCertificates): void {
    if (this.begun.has(ca.cert)) return;
    const stoodMs = this.now - (this.trustedSince.get(ca.cert) ?? this.now);
    assert.ok(stoodMs >= OVERLAP_MS, `${ca.cert} is served after ${stoodMs} ms in the bundle\n${this.steps.join(" ")}`);
  }

  /** What is served is trusted, but for an authority that was begun and is on its way. */
  #checkTrust(): void {
    for (const { serves } of this.replicas) {
      if (serves === undefined) continue;
      const isThere = this.trustedSince.has(serves.ca);
      if (isThere) this.wasTrusted.add(serves.ca);
      const isOnItsWay = this.begun.has(serves.ca) && !this.wasTrusted.has(serves.ca);
      assert.ok(isThere || isOnItsWay, `${serves.ca} is served, and not trusted\n${this.steps.join(" ")}`);
    }
  }

  #make({ ca, serving, nextCa, oldCa }: Recipe, clocks: Clocks): SelfManagedCertificates {
    const life = (ms: number, end = Number.POSITIVE_INFINITY) => ({
      begin: earliest(clocks) - BACKDATE_MS,
      end: Math.min(latest(clocks) + ms, end),
    });
    const authority = (): Certificate => {
      const cert = `(authority ${++this.made})`;
      const one = { cert, key: "", ...life(LIVES.authorityMs) };
      this.authorities.set(cert, one);
      return one;
    };
    const issuer = ca === "new" ? authority() : ca;
    const leaf = () => ({
      cert: `(leaf ${++this.made} of ${issuer.cert})`,
      key: "",
      ...life(LIVES.servingMs, issuer.end),
    });
    return {
      ca: issuer,
      serving: serving === "new" ? leaf() : serving,
      nextCa: nextCa === "new" ? authority() : nextCa,
      oldCa,
    };
  }

  #contentsOf(set: SelfManagedCertificates | undefined): Contents {
    if (set === undefined) return { ca: undefined, serving: undefined, nextCa: undefined, oldCa: undefined };
    const { ca, serving, nextCa, oldCa } = set;
    return { ca, serving, nextCa, oldCa: oldCa === undefined ? undefined : this.#authoritiesIn(oldCa) };
  }

  #authoritiesIn(bundle: string): readonly Authority[] {
    return (bundle.match(/\(authority [0-9]+\)/g) ?? []).flatMap((cert) => this.authorities.get(cert) ?? []);
  }

  /** What is not in order: everybody serves what the Secret holds, and it is valid and trusted everywhere. */
  disorder(): string | undefined {
    const set = this.secret;
    if (set === undefined) return "there is no Secret";
    if (set.nextCa !== undefined) return "another authority is on its way";
    if (this.replicas.some(({ serves }) => serves?.leaf.cert !== set.serving.cert))
      return "a replica serves another one";
    if (this.configurations.some(({ bundle }) => bundle !== bundleOf(set))) return "another bundle is registered";
    const ended = [set.ca, set.serving].find((one) => !isValidAt(one, START + this.now));
    return ended && `${ended.cert} is not valid`;
  }
}

function registrationOf({ name, isAdvisory, bundle, generation }: Model["configurations"][number]): Registration {
  return { name, isAdvisory, bundles: [bundle], generation: String(generation) };
}
