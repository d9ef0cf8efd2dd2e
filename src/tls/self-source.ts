/**
 * The serving certificate that the webhook keeps itself: made, renewed and registered without anybody's help.
 *
 * One Secret is the only truth, and there is no leader: every replica looks at it, takes the step that is due, and learns
 * from the Secret's version whether another one was quicker. A look follows every change of the Secret and of the webhook
 * configurations, and comes by the clock too, since a sleeping machine fires no timer. Whatever somebody deletes, empties
 * or overwrites is put right by the next look.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { ServingCertificate } from "./certificate-files.ts";
import { type CertificateEvents, type CertificateSource, type ServedAt, whyEnded } from "./certificate-source.ts";
import {
  authoritiesIn,
  beginOf,
  bundleOf,
  type Clocks,
  endOf,
  examine,
  type KeptCertificates,
  type SecretData,
  secretDataOf,
  Undecided,
} from "./kept-certificates.ts";
import { generationsOf, publishEach, type Registrations, stands, type Unreachable, wrongOf } from "./registration.ts";
import { decide, type Lifetimes, type Step, take } from "./renewal.ts";
import { callSelf } from "./self-call.ts";

/** The Secret as it was read. */
export interface StoredSecret {
  readonly data: SecretData;
  /** Changes with every write. */
  readonly version: string;
}

/** Where the Secret lies. Every call rejects where that place cannot be reached. */
export interface SecretStore {
  /** Its name for people. */
  readonly name: string;
  read(): Promise<StoredSecret | undefined>;
  /** The clock of that place, milliseconds since 1970, as its last answer showed it. */
  now(): number;
  /**
   * Writes it.
   *
   * @param over what was read before; undefined where there was none
   * @returns false where somebody else wrote in the meantime
   */
  write(data: SecretData, over: StoredSecret | undefined): Promise<boolean>;
  follow(onChange: () => void, onUnreachable: Unreachable, signal: AbortSignal): Promise<void>;
}

/** What happens, for logs and metrics. None of these may throw. */
export interface SelfEvents extends CertificateEvents {
  /** A step was taken by this replica. */
  stepped(step: Step, why: readonly string[]): void;
  /** A bundle was written into a configuration. */
  published(configuration: string): void;
  /** Whether a configuration is there. Told after every look. */
  registered(configuration: string, isThere: boolean): void;
  /** The result of the call to itself. Told after every look. */
  verified(problem: string | undefined): void;
  /** When the authority in use ends, and when it began, milliseconds since 1970. */
  authorityEnds(at: number, began: number): void;
  /** The API server cannot be reached; it is tried again after `retryMs`. */
  readonly unreachable: Unreachable;
}

/** What a source of this kind needs. */
export interface SelfOptions {
  readonly store: SecretStore;
  readonly registrations: Registrations;
  /** DNS names of the service; the first is the one that the API server uses. */
  readonly names: readonly string[];
  readonly lifetimes: Lifetimes;
  readonly events: SelfEvents;
  /** Wall clock, milliseconds since 1970; for tests. */
  readonly now?: () => number;
  /** A clock that only goes forward, milliseconds; for tests. */
  readonly monotonic?: () => number;
}

/** Time between two looks when nothing changes, milliseconds; less while something is on its way. */
const LOOK_MS = 30_000;
const HURRY_MS = 2_000;
/** Shortest time between two looks: changes that come together are one. */
const PAUSE_MS = 100;
/** The call to itself may fail for this long before a replica that was ready is not any more: mending takes a moment. */
const UNVERIFIED_MS = 15_000;
/** This machine's clock differs from the API server's if by more than this, milliseconds: its answers show seconds. */
const SAME_CLOCK_MS = 5_000;
/** Writes of the Secret in one look; more would mean that something else writes what we cannot use. */
const MAX_STEPS = 5;

/** Somebody writes the Secret as often as this replica: both must come to rest. */
class Contested extends Error {}

/** Makes the source. */
export function selfKept(options: SelfOptions): CertificateSource {
  const { store, registrations, names, lifetimes, events } = options;
  const ownClock = options.now ?? Date.now;
  const monotonic = options.monotonic ?? (() => performance.now());
  const jitter = Math.random();
  let remembered: KeptCertificates | undefined;
  let served: ServingCertificate | undefined;
  let wasVerified = false;
  /** Since when the certificate does not verify with what is registered. */
  let unverifiedSince: number | undefined;
  /** Since when the Secret has had no authority. */
  let missingSince: number | undefined;
  /** Since when this bundle is in every configuration that counts, in their generations of that time. */
  let standing: { readonly bundle: string; readonly generations: string; readonly since: number } | undefined;
  let failure: string | undefined;

  const clocks = (): Clocks => {
    const server = store.now();
    const own = ownClock();
    return { server: Math.abs(server - own) < SAME_CLOCK_MS ? own : server, own };
  };

  /** What is registered and valid, while there is nothing else to go by. */
  const publishedAt = async (now: number): Promise<string> => {
    const bundles = (await registrations.read()).flatMap((one) => one.bundles ?? []);
    return [...new Set(bundles)].map((bundle) => authoritiesIn(bundle, now)).join("");
  };

  /** Brings the Secret into order, and returns what is in it then. */
  const settle = async (): Promise<KeptCertificates> => {
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const stored = await store.read();
      const { server: now, own } = clocks();
      const found = examine(stored?.data ?? {}, names, { server: now, own });
      missingSince = found.ca === undefined ? (missingSince ?? monotonic()) : undefined;
      const stood = remembered !== undefined && standing?.bundle === bundleOf(remembered) ? standing : undefined;
      const circumstances = {
        now,
        own,
        remembered,
        published: found.ca === undefined ? await publishedAt(now) : "",
        missingMs: missingSince === undefined ? 0 : monotonic() - missingSince,
        bundleStoodMs: stood === undefined || !isSame(found, remembered) ? 0 : monotonic() - stood.since,
        jitter,
      };
      const step = decide(found, circumstances);
      const { ca, serving, nextCa, oldCa } = found;
      if (step === "wait") throw new Undecided("has no authority, but one is registered: a replica may write it back");
      if (step === "nothing" && ca !== undefined && serving !== undefined) return { ca, serving, nextCa, oldCa };
      if (step === "nothing") continue;
      const next = await take(step, found, circumstances, names, lifetimes);
      if (await store.write(secretDataOf(next), stored)) {
        events.stepped(step, stored === undefined ? [`${store.name} is not there`] : found.problems);
      }
    }
    throw new Contested(`${store.name} does not stay as it is written`);
  };

  /** One look. Returns whether something is on its way, whether a configuration was mended, and which write was refused. */
  const look = async (at: ServedAt) => {
    // A step may hang on how long the bundle stood: what somebody overwrote since the last look has to count first.
    if (remembered?.nextCa !== undefined && standing !== undefined) {
      const { bundle, generations } = standing;
      const seen = await registrations.read();
      if (generationsOf(seen) !== generations || !stands(seen, bundle)) standing = undefined;
    }
    const kept = await settle();
    remembered = kept;
    events.authorityEnds(endOf(kept.ca.cert), beginOf(kept.ca.cert));
    if (served?.cert !== kept.serving.cert) {
      served = { ...kept.serving, notAfter: new Date(endOf(kept.serving.cert)) };
      events.changed();
    }
    const bundle = bundleOf(kept);
    const before = await registrations.read();
    const wrong = wrongOf(before, bundle);
    const generations = generationsOf(before);
    const hasBundle = stands(before, bundle);
    const isStanding = hasBundle && standing?.bundle === bundle && standing.generations === generations;
    if (!isStanding) standing = hasBundle ? { bundle, generations, since: monotonic() } : undefined;
    for (const { name, bundles } of before) events.registered(name, bundles !== undefined);
    const { registered, written, refusal } = await publishEach(registrations, before, bundle, events.published);
    const bundlesOf = (isAdvisory: boolean) =>
      registered.flatMap((one) => (one.isAdvisory === isAdvisory ? (one.bundles ?? []) : []));
    const decisive = bundlesOf(false);
    // Only what pods are mutated by decides readiness, and only by whether it verifies: not by what could not be written.
    const serious = await verify(at, decisive.length > 0 ? decisive : [bundle]);
    const problem = serious ?? (await verify(at, bundlesOf(true)));
    events.verified(problem);
    wasVerified ||= serious === undefined;
    unverifiedSince = serious === undefined ? undefined : (unverifiedSince ?? monotonic());
    failure = [problem, refusal].filter((one) => one !== undefined).join("; ") || undefined;
    const isOnItsWay = problem !== undefined || kept.nextCa !== undefined || wrong.length > 0;
    return { isOnItsWay, isMended: written > 0, refusal };
  };

  /** Calls itself with each of the bundles. */
  const verify = async ({ addresses, port }: ServedAt, bundles: readonly string[]) => {
    for (const one of new Set(bundles)) {
      const problem = await callSelf(addresses, port, names[0] ?? "", one);
      if (problem !== undefined && !isOfOwnClock(problem)) return problem;
    }
    return undefined;
  };

  /** OpenSSL judges dates by this machine's clock; by the API server's the set was examined already. */
  const isOfOwnClock = (problem: string) => {
    const { server, own } = clocks();
    return server !== own && /^certificate (is not yet valid|has expired)$/.test(problem);
  };

  const follow = async (at: ServedAt, signal: AbortSignal): Promise<void> => {
    let wake = Promise.withResolvers<void>();
    const onChange = () => wake.resolve();
    const { unreachable } = events;
    const followed = Promise.all([
      store.follow(onChange, unreachable, signal),
      registrations.follow(onChange, unreachable, signal),
    ]);
    let failures = 0;
    let mended = 0;
    while (!signal.aborted) {
      wake = Promise.withResolvers<void>();
      let nextMs: number;
      let pauseMs = PAUSE_MS;
      try {
        const { isOnItsWay, isMended, refusal } = await look(at);
        failures = refusal === undefined ? 0 : failures + 1;
        // Somebody who writes another bundle whenever we do would otherwise keep both of us busy for ever.
        mended = isMended ? mended + 1 : 0;
        pauseMs = Math.min(LOOK_MS, PAUSE_MS * 2 ** Math.max(0, mended - 1));
        nextMs =
          refusal === undefined ? (isOnItsWay ? HURRY_MS : LOOK_MS) * (1 - Math.random() / 5) : retryMs(failures);
        if (refusal !== undefined && !signal.aborted) events.unreachable(refusal, Math.round(nextMs));
      } catch (error) {
        failures++;
        nextMs = retryMs(failures);
        // What cannot be decided yet is decided by whoever changes it, and what is away comes back with a change.
        pauseMs = error instanceof Undecided ? PAUSE_MS : Math.min(nextMs, HURRY_MS);
        if (error instanceof Contested) pauseMs = nextMs;
        const reason = error instanceof Error ? error.message : String(error);
        failure = error instanceof Undecided ? `${store.name}: ${reason}` : reason;
        if (!signal.aborted) events.unreachable(failure, Math.round(nextMs));
      }
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
      const timer = new AbortController();
      const clock = wait(Math.max(0, nextMs - pauseMs), undefined, {
        signal: AbortSignal.any([signal, timer.signal]),
      }).catch(() => {});
      await Promise.race([wake.promise, clock]);
      timer.abort();
    }
    await followed;
  };

  const notReady = (): string | undefined => {
    const problem = failure ?? "it has not been made";
    if (!wasVerified) return `the certificate does not verify yet: ${problem}`;
    const hasNotVerified = unverifiedSince !== undefined && monotonic() - unverifiedSince > UNVERIFIED_MS;
    const { server, own } = clocks();
    return (
      // Ended by both clocks: a wrong one of the API server must not take all replicas away.
      whyEnded(served, Math.min(server, own)) ??
      (hasNotVerified ? `the certificate does not verify: ${problem}` : undefined)
    );
  };
  return { current: () => served, notReady, follow };
}

/** Time until the next look after so many that failed, milliseconds. */
function retryMs(failures: number): number {
  return Math.min(LOOK_MS, 250 * 2 ** failures) * (1 - Math.random() / 2);
}

/** Whether the Secret holds what this replica knows already; the time that a bundle stood counts only then. */
function isSame(found: { ca: unknown; nextCa: unknown; oldCa: unknown }, known: KeptCertificates | undefined): boolean {
  if (known === undefined) return false;
  const text = ({ ca, nextCa, oldCa }: typeof found) => JSON.stringify([ca, nextCa, oldCa]);
  return text(found) === text({ ca: known.ca, nextCa: known.nextCa, oldCa: known.oldCa });
}
