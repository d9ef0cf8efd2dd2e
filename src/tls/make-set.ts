/**
 * Makes the certificates that a recipe asks for. What is made is valid by both clocks, whichever of them is wrong.
 */
import { issue, type KeyPair, makeAuthority } from "./authority.ts";
import { type Clocks, earliest, latest } from "./clocks.ts";
import type { Recipe } from "./renewal.ts";
import type { SelfManagedCertificates } from "./self-managed-certificates.ts";

/** How long certificates are valid, milliseconds. */
export interface Lifetimes {
  readonly authorityMs: number;
  readonly servingMs: number;
}

/**
 * Makes a set.
 *
 * @param names the DNS names that the webhook is called by
 */
export async function makeSet(
  { ca, serving, nextCa, oldCa }: Recipe,
  clocks: Clocks,
  names: readonly string[],
  { authorityMs, servingMs }: Lifetimes,
): Promise<SelfManagedCertificates<KeyPair>> {
  const from = earliest(clocks);
  const until = latest(clocks) + authorityMs;
  const newAuthority = () => makeAuthority("Gracegate webhook CA", { from, until });
  const authority = ca === "new" ? await newAuthority() : ca;
  // A certificate that outlives its authority would end without warning.
  const end = Math.min(latest(clocks) + servingMs, ca === "new" ? until : ca.end);
  return {
    ca: authority,
    serving: serving === "new" ? await issue(authority, names, { from, until: end }) : serving,
    nextCa: nextCa === "new" ? await newAuthority() : nextCa,
    oldCa,
  };
}
