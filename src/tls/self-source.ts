/**
 * The serving certificate that the webhook manages itself: made, renewed and registered without anybody's help.
 *
 * One Secret is the only truth, and there is no leader: every replica looks at it, takes the step that is due, and learns
 * from the Secret's version whether another one was quicker. A look follows every change of the Secret and of the webhook
 * configurations, and comes by the clock too, since a sleeping machine fires no timer. Whatever somebody deletes, empties
 * or overwrites is put right by the next look. What to do is decided in renewal.ts; this loop observes, and acts.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { ServingCertificate } from "./certificate-files.ts";
import { type CertificateEvents, type CertificateSource, type ServedAt, whyEnded } from "./certificate-source.ts";
import { clocksOf, earliest } from "./clocks.ts";
import { type Lifetimes, makeSet } from "./make-set.ts";
import { bundlesOf, type Registration, type Registrations, standingOf, type Unreachable } from "./registration.ts";
import { type Action, bundleOf, decide, type Now, type State, type Step } from "./renewal.ts";
import { callSelf } from "./self-call.ts";
import { authoritiesIn, contentsOf, type SecretData, secretDataOf } from "./self-managed-certificates.ts";

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
/** Writes of the Secret in one look; more would mean that something else writes what we cannot use. */
const MAX_STEPS = 5;

/** What came of a look. */
type Outcome =
  | {
      readonly kind: "done";
      readonly isMoving: boolean;
      readonly isMended: boolean;
      readonly refusal: string | undefined;
    }
  /** It cannot be decided yet; somebody writes the Secret as often as this replica; the API server cannot be reached. */
  | { readonly kind: "undecided" | "contested" | "away"; readonly refusal: string };

/** Makes the source. */
export function selfManaged(options: SelfOptions): CertificateSource {
  const { store, registrations, names, lifetimes, events } = options;
  const ownClock = options.now ?? Date.now;
  const monotonic = options.monotonic ?? (() => performance.now());
  let state: State = { jitter: Math.random() };
  let wasVerified = false;
  /** Since when the certificate does not verify with what is registered. */
  let unverifiedSince: number | undefined;
  let failure: string | undefined;
  let served: ServingCertificate | undefined;

  const now = (): Now => ({ ...clocksOf(store.now(), ownClock()), monotonic: monotonic() });

  const observe = async () => {
    const [stored, registered] = await Promise.all([store.read(), registrations.read().catch(reasonOf)]);
    const contents = contentsOf(stored?.data ?? {}, names);
    const bundles = typeof registered === "string" ? [] : registered.flatMap((one) => one.bundles ?? []);
    return { stored, registered, contents, trusted: [...new Set(bundles)].flatMap(authoritiesIn) };
  };

  /** One look: as many steps as are due, and then what is served and registered. */
  const look = async (at: ServedAt): Promise<Outcome> => {
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const { stored, registered, ...seen } = await observe();
      const isUnread = typeof registered === "string";
      const clocks = now();
      const decided = decide(state, clocks, { ...seen, registered: isUnread ? undefined : registered });
      state = decided.state;
      const { action } = decided;
      if (action.do === "write") {
        const set = await makeSet(action.recipe, clocks, names, lifetimes);
        const why = stored === undefined ? [`${store.name} is not there`] : action.why;
        if (await store.write(secretDataOf(set), stored)) events.stepped(action.step, why);
        continue;
      }
      if (action.do === "serve") serve(action);
      if (isUnread) return { kind: "away", refusal: registered };
      if (action.do === "wait") return { kind: "undecided", refusal: `${store.name}: ${action.reason}` };
      return publish(action, registered, at);
    }
    return { kind: "contested", refusal: `${store.name} does not stay as it is written` };
  };

  const serve = ({ set: { ca, serving } }: Serving) => {
    events.authorityEnds(ca.end, ca.begin);
    if (served?.cert === serving.cert) return;
    served = { cert: serving.cert, key: serving.key, notAfter: new Date(serving.end) };
    events.changed();
  };

  /** Writes the bundle. A configuration that cannot be written leaves the others as they are. */
  const publish = async (
    { set, publishTo }: Serving,
    before: readonly Registration[],
    at: ServedAt,
  ): Promise<Outcome> => {
    const bundle = bundleOf(set);
    for (const { name, bundles } of before) events.registered(name, bundles !== undefined);
    const written = new Set<Registration>();
    let refusal: string | undefined;
    const note = (error: unknown) => {
      refusal ??= reasonOf(error);
    };
    for (const registration of publishTo) {
      const isWritten = await registrations.publish(registration, bundle).then(() => true, note);
      if (isWritten !== true) continue;
      written.add(registration);
      events.published(registration.name);
    }
    const again = publishTo.length > 0 ? await registrations.read().catch(note) : undefined;
    if (again) state = { ...state, standing: standingOf(state.standing, bundle, again, monotonic()) };
    // As far as it is known, where they could not be read again.
    const registered =
      again ?? before.map((one) => (written.has(one) ? { ...one, bundles: one.bundles?.map(() => bundle) } : one));
    const decisive = bundlesOf(registered, false);
    const serious = await verify(at, decisive.length > 0 ? decisive : [bundle]);
    const problem = serious ?? (await verify(at, bundlesOf(registered, true)));
    events.verified(problem);
    // Only what pods are mutated by decides readiness, and only by whether it verifies: not by what could not be written.
    wasVerified ||= serious === undefined;
    unverifiedSince = serious === undefined ? undefined : (unverifiedSince ?? monotonic());
    failure = [problem, refusal].filter((one) => one !== undefined).join("; ") || undefined;
    const isMoving = problem !== undefined || set.nextCa !== undefined || publishTo.length > 0;
    return { kind: "done", isMoving, isMended: written.size > 0, refusal };
  };

  /** Calls itself with each of the bundles. */
  const verify = async ({ addresses, port }: ServedAt, bundles: readonly string[]) => {
    for (const one of bundles) {
      const problem = await callSelf(addresses, port, names[0] ?? "", one);
      const { server, own } = now();
      // OpenSSL judges dates by this machine's clock; by the API server's the set was examined already.
      const isOfOwnClock = server !== own && /^certificate (is not yet valid|has expired)$/.test(problem ?? "");
      if (problem !== undefined && !isOfOwnClock) return problem;
    }
    return undefined;
  };

  const follow = async (at: ServedAt, signal: AbortSignal): Promise<void> => {
    let changed = new AbortController();
    const onChange = () => changed.abort();
    const { unreachable } = events;
    const followed = Promise.all([
      store.follow(onChange, unreachable, signal),
      registrations.follow(onChange, unreachable, signal),
    ]);
    let failures = 0;
    let mended = 0;
    while (!signal.aborted) {
      changed = new AbortController();
      const outcome = await look(at).catch((error): Outcome => ({ kind: "away", refusal: reasonOf(error) }));
      failures = outcome.refusal === undefined ? 0 : failures + 1;
      mended = outcome.kind === "done" && outcome.isMended ? mended + 1 : 0;
      if (outcome.kind !== "done") failure = outcome.refusal;
      const [pauseMs, nextMs] = paceOf(outcome, failures, mended);
      if (outcome.refusal !== undefined && !signal.aborted) unreachable(outcome.refusal, Math.round(nextMs));
      await wait(pauseMs, undefined, { signal }).catch(() => {});
      const woken = AbortSignal.any([signal, changed.signal]);
      await wait(Math.max(0, nextMs - pauseMs), undefined, { signal: woken }).catch(() => {});
    }
    await followed;
  };

  const notReady = (): string | undefined => {
    const problem = failure ?? "it has not been made";
    if (!wasVerified) return `the certificate does not verify yet: ${problem}`;
    const isTooLong = unverifiedSince !== undefined && monotonic() - unverifiedSince > UNVERIFIED_MS;
    // Ended by both clocks: a wrong one of the API server must not take all replicas away.
    return whyEnded(served, earliest(now())) ?? (isTooLong ? `the certificate does not verify: ${problem}` : undefined);
  };
  return { current: () => served, notReady, follow };
}

type Serving = Extract<Action, { do: "serve" }>;

/** How long after a look nothing wakes this replica, and when it looks anyway, milliseconds. */
function paceOf(outcome: Outcome, failures: number, mended: number): readonly [pauseMs: number, nextMs: number] {
  const retryMs = Math.min(LOOK_MS, 250 * 2 ** failures) * (1 - Math.random() / 2);
  const lookMs = (outcome.kind === "done" && outcome.isMoving ? HURRY_MS : LOOK_MS) * (1 - Math.random() / 5);
  switch (outcome.kind) {
    case "done":
      // Somebody who writes another bundle whenever we do would otherwise keep both of us busy for ever.
      return [Math.min(LOOK_MS, PAUSE_MS * 2 ** Math.max(0, mended - 1)), outcome.refusal ? retryMs : lookMs];
    case "undecided": // Whoever changes it decides it.
      return [PAUSE_MS, retryMs];
    case "away": // It comes back with a change.
      return [Math.min(retryMs, HURRY_MS), retryMs];
    case "contested":
      return [retryMs, retryMs];
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
