/**
 * What is to be done with the self-managed certificates: decided from what lies in the Secret and in the configurations,
 * one step at a time, and each step one write of the Secret. Pure; self-source.ts observes and acts. Any replica may take
 * any step; the Secret's resourceVersion decides who was first.
 *
 * The authority is renewed in three steps, so that no client meets a certificate whose authority it does not know:
 * announce (the coming authority joins every caBundle), switch (after the union stood for a minute, certificates are
 * issued by the new one), forget (the old one leaves the bundles when every replica must have switched).
 */
import { BACKDATE_MS, type KeyPair } from "./authority.ts";
import { type Clocks, earliest, isValidAt, whyInvalid } from "./clocks.ts";
import { type Registration, type Standing, standingOf, wrongOf } from "./registration.ts";
import type { Authority, Certificate, Contents, Entry, SelfManagedCertificates } from "./self-managed-certificates.ts";

/** What is written into the Secret. */
export type Step = "begin" | "restore" | "issue" | "announce" | "switch" | "forget";

/** The clocks, and one that only goes forward, milliseconds. */
export interface Now extends Clocks {
  readonly monotonic: number;
}

/** What one replica knows. */
export interface State {
  /** 0 to 1, another one in every replica: so that they do not all renew at the same instant. */
  readonly jitter: number;
  /** The last set that was found complete. */
  readonly known?: SelfManagedCertificates;
  /** Since when the Secret has had no authority, by the clock that only goes forward. */
  readonly missingSince?: number | undefined;
  readonly standing?: Standing | undefined;
}

/** What a look saw. */
export interface Observation {
  readonly contents: Contents;
  /** Undefined where the configurations cannot be read. */
  readonly registered: readonly Registration[] | undefined;
  /** The authorities in their bundles. */
  readonly trusted: readonly Authority[];
}

/** A set to be made: what is `new` does not exist yet. */
export interface Recipe {
  readonly ca: Certificate | "new";
  readonly serving: Certificate | "new";
  readonly nextCa?: Certificate | "new" | undefined;
  readonly oldCa?: string | undefined;
}

/** What to do now. */
export type Action =
  /** Write it over what was read, and look again. */
  | { readonly do: "write"; readonly step: Step; readonly recipe: Recipe; readonly why: readonly string[] }
  /** Serve the set, and write the bundle into configurations that have another. */
  | { readonly do: "serve"; readonly set: SelfManagedCertificates; readonly publishTo: readonly Registration[] }
  /** Write nothing, serve what is served: it cannot be decided yet. */
  | { readonly do: "wait"; readonly reason: string };

/** The union must have stood this long before a certificate of the new authority is served, milliseconds. */
export const OVERLAP_MS = 60_000;

/** The old authority stays in the bundles this long after the switch, milliseconds. */
export const FORGET_MS = 600_000;

/**
 * Where an authority is registered, whoever serves by it writes it back as soon as it sees that the Secret lost it. A replica
 * that knows none gives the others this long, milliseconds.
 */
export const PATIENCE_MS = 5_000;

/** Certificates are renewed after this part of their life, and a replica's jitter earlier. */
const RENEW_AT = 2 / 3;
const JITTER = 0.05;

/** Decides. */
export function decide(before: State, now: Now, seen: Observation): { readonly state: State; readonly action: Action } {
  const found = usable(seen.contents, now);
  if (found.undecided !== undefined) return { state: before, action: { do: "wait", reason: found.undecided } };
  const { ca, serving, nextCa, oldCa, problems: why } = found;
  if (ca === undefined) {
    const state = { ...before, missingSince: before.missingSince ?? now.monotonic };
    return { state, action: withoutAuthority(state, now, seen, why) };
  }
  const bundle = bundleOf({ ca, nextCa, oldCa });
  const { registered } = seen;
  const standing = registered && standingOf(before.standing, bundle, registered, now.monotonic);
  const state = { ...before, missingSince: undefined, standing };
  const write = (step: Step, recipe: Recipe) => ({ state, action: { do: "write", step, recipe, why } as const });
  if (serving === undefined || isDue(serving, state, now)) return write("issue", { ca, serving: "new", nextCa, oldCa });
  const stoodMs = standing === undefined ? 0 : now.monotonic - standing.since;
  if (nextCa !== undefined && stoodMs >= OVERLAP_MS)
    return write("switch", { ca: nextCa, serving: "new", oldCa: ca.cert + (oldCa ?? "") });
  if (nextCa === undefined && isDue(ca, state, now)) return write("announce", { ca, serving, nextCa: "new", oldCa });
  if (nextCa === undefined && oldCa !== undefined && stoodMs >= FORGET_MS) return write("forget", { ca, serving });
  const set = { ca, serving, nextCa, oldCa };
  const publishTo = wrongOf(registered ?? [], bundle);
  return { state: { ...state, known: set }, action: { do: "serve", set, publishTo } };
}

/** All authorities that a client must trust: what stands in every caBundle. */
export function bundleOf({ ca, nextCa, oldCa }: Omit<SelfManagedCertificates<KeyPair>, "serving">): string {
  return ca.cert + (nextCa?.cert ?? "") + (oldCa ?? "");
}

/** What of a Secret's content can be used now; problems are the rest of a sentence about the Secret. */
export function usable(contents: Contents, now: Clocks) {
  const problems: string[] = [];
  let undecided: string | undefined;
  const use = (name: string, entry: Entry): Certificate | undefined => {
    if (entry === undefined) return undefined;
    const invalid = typeof entry === "string" ? { problem: entry, isUndecided: false } : whyInvalid(entry, now);
    if (invalid?.isUndecided) undecided ??= `${name} ${invalid.problem}`;
    else if (invalid) problems.push(`${name} ${invalid.problem}`);
    return typeof entry === "string" || invalid ? undefined : entry;
  };
  const ca = use("ca.crt", contents.ca);
  if (ca === undefined && problems.length === 0) problems.push("has no ca.crt");
  const serving = ca && use("tls.crt", contents.serving);
  const nextCa = use("next-ca.crt", contents.nextCa);
  const old = contents.oldCa && unendedOf(contents.oldCa, now);
  if (old === "") problems.push("old-ca.crt has no authority that is valid");
  return { ca, serving, nextCa, oldCa: old || undefined, problems, undecided };
}

/** @param why what is wrong with the Secret */
function withoutAuthority(
  { known, missingSince = 0 }: State,
  now: Now,
  { registered, trusted }: Observation,
  why: readonly string[],
): Action {
  const current = (one: Certificate | undefined) => (one !== undefined && isValidAt(one, now.server) ? one : "new");
  if (known !== undefined && current(known.ca) !== "new") {
    // Whoever deleted the Secret may have wanted another authority, and nobody must be cut off: both.
    const { ca, oldCa } = known;
    const recipe: Recipe = { ca, serving: current(known.serving), nextCa: current(known.nextCa), oldCa };
    return { do: "write", step: "restore", recipe, why };
  }
  const mayComeBack = now.monotonic - missingSince < PATIENCE_MS;
  const published = unendedOf(trusted, now);
  if (registered === undefined || (published !== "" && mayComeBack)) {
    return { do: "wait", reason: "has no authority, but one is registered: a replica may write it back" };
  }
  // Who still serves by an authority that is registered, and cannot be reached, stays trusted for a while.
  const recipe: Recipe = { ca: "new", serving: "new", oldCa: published === "" ? undefined : published };
  return { do: "write", step: "begin", recipe, why };
}

/** Those that have not ended by both clocks, each once; PEM. One that only begins is trusted already: a clock may be behind. */
function unendedOf(authorities: readonly Authority[], clocks: Clocks): string {
  return [...new Set(authorities.filter(({ end }) => end > earliest(clocks)).map(({ cert }) => cert))].join("");
}

/** Whether so much of its life is over, by both clocks, that it should be renewed. */
function isDue({ begin, end }: Certificate, { jitter }: State, now: Now): boolean {
  const made = begin + BACKDATE_MS;
  return earliest(now) >= made + (end - made) * (RENEW_AT - JITTER * jitter);
}
