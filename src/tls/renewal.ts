/**
 * What is to be done with the kept certificates: one step at a time, decided from what lies in the Secret, and each step
 * one write of it. Any replica may take any step; the Secret's resourceVersion decides who was first.
 *
 * The authority is renewed in three steps, so that no client meets a certificate whose authority it does not know:
 * announce (the coming authority joins every caBundle), switch (after the union stood for a minute, certificates are
 * issued by the new one), forget (the old one leaves the bundles when every replica must have switched).
 */
import { BACKDATE_MS, issue, type KeyPair, makeAuthority } from "./authority.ts";
import { beginOf, type Examined, endOf, isValidAt, type KeptCertificates } from "./kept-certificates.ts";

/** What to do next; with `wait` nothing is written, and nothing can be served yet. */
export type Step = "nothing" | "wait" | "begin" | "restore" | "issue" | "announce" | "switch" | "forget";

/** What a replica knows besides the Secret. */
export interface Circumstances {
  /** The API server's clock, milliseconds since 1970. */
  readonly now: number;
  /** This machine's clock, milliseconds since 1970: what the calendar asks for is done where both agree. */
  readonly own: number;
  /** The last set that this replica found complete. */
  readonly remembered: KeptCertificates | undefined;
  /** Authorities that are valid and stand in configurations, PEM, while neither the Secret nor this replica has one. */
  readonly published: string;
  /** For how long this replica has found no authority in the Secret, milliseconds. */
  readonly missingMs: number;
  /** For how long every configuration was seen with the whole bundle, milliseconds. */
  readonly bundleStoodMs: number;
  /** 0 to 1, another one in every replica: so that they do not all renew at the same instant. */
  readonly jitter: number;
}

/** How long certificates are valid, milliseconds. */
export interface Lifetimes {
  readonly authorityMs: number;
  readonly servingMs: number;
}

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
export function decide(found: Examined, circumstances: Circumstances): Step {
  const { now, own, remembered, published, missingMs, bundleStoodMs, jitter } = circumstances;
  const sure = Math.min(now, own);
  if (found.ca === undefined) {
    if (remembered !== undefined && isValidAt(remembered.ca.cert, now)) return "restore";
    return published === "" || missingMs >= PATIENCE_MS ? "begin" : "wait";
  }
  if (found.serving === undefined || isDue(found.serving, sure, jitter)) return "issue";
  if (found.nextCa !== undefined) return bundleStoodMs >= OVERLAP_MS ? "switch" : "nothing";
  if (isDue(found.ca, sure, jitter)) return "announce";
  return found.oldCa !== undefined && bundleStoodMs >= FORGET_MS ? "forget" : "nothing";
}

/**
 * Makes the set that a step leads to.
 *
 * @param names the DNS names that the webhook is called by
 */
export async function take(
  step: Exclude<Step, "nothing" | "wait">,
  found: Examined,
  { now, own, remembered, published }: Circumstances,
  names: readonly string[],
  lifetimes: Lifetimes,
): Promise<KeptCertificates> {
  // Valid by both clocks, whichever of them is wrong.
  const from = Math.min(now, own);
  const last = Math.max(now, own);
  const newAuthority = () => makeAuthority("Gracegate webhook CA", { from, until: last + lifetimes.authorityMs });
  // A certificate that outlives its authority would end without warning.
  const newServing = (ca: KeyPair) =>
    issue(ca, names, { from, until: Math.min(last + lifetimes.servingMs, endOf(ca.cert)) });
  const { ca, serving, nextCa, oldCa } = found;
  if (step === "begin" || ca === undefined) {
    if (step === "restore" && remembered !== undefined) {
      // Whoever deleted the Secret may have wanted another authority, and nobody must be cut off: both.
      const isServable = isValidAt(remembered.serving.cert, now);
      const kept = isServable ? remembered.serving : await newServing(remembered.ca);
      return { ca: remembered.ca, serving: kept, nextCa: await newAuthority(), oldCa: remembered.oldCa };
    }
    const fresh = await newAuthority();
    // Who still serves by an authority that is registered, and cannot be reached, stays trusted for a while.
    return { ca: fresh, serving: await newServing(fresh), oldCa: published === "" ? undefined : published };
  }
  const current = serving ?? (await newServing(ca));
  switch (step) {
    case "announce":
      return { ca, serving: current, nextCa: await newAuthority(), oldCa };
    case "switch": {
      const next = nextCa ?? ca;
      return { ca: next, serving: await newServing(next), oldCa: ca.cert };
    }
    case "forget":
      return { ca, serving: current, nextCa };
    default:
      return { ca, serving: await newServing(ca), nextCa, oldCa };
  }
}

/** Whether so much of its life is over that it should be renewed. */
function isDue({ cert }: KeyPair, now: number, jitter: number): boolean {
  const begin = beginOf(cert) + BACKDATE_MS;
  return now >= begin + (endOf(cert) - begin) * (RENEW_AT - JITTER * jitter);
}
