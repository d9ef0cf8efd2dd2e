/**
 * How much of a replica's memory the policies of one namespace may take. Who may write GracePolicies in one namespace
 * must not be able to end the webhook for all of them.
 *
 * 100 policies of 16 KiB are 1.6 MiB of a namespace. etcd holds objects of 1.5 MiB, so a bound is needed on both. The
 * root namespace belongs to the cluster's owner, and has no bound on its number.
 */
import type { JsonValue } from "../pod/json.ts";

/** Policies of one namespace that hold: the first ones by name. */
export const MAX_POLICIES = 100;

/** Largest spec of a policy as JSON, bytes. */
export const MAX_POLICY_BYTES = 16 * 1024;

/** Why a spec is too large, to complete "spec …"; undefined where it is not. */
export function oversize(spec: JsonValue): string | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(spec));
  return bytes <= MAX_POLICY_BYTES
    ? undefined
    : `has ${bytes} bytes, more than the ${MAX_POLICY_BYTES} that a policy may have`;
}

/** Which policies of each namespace hold, by name, whatever the order in which they come. */
export class NamespaceShares {
  readonly #rootNamespace: string;
  /** Sorted; never longer than MAX_POLICIES. */
  readonly #names = new Map<string, string[]>();

  constructor(rootNamespace: string) {
    this.#rootNamespace = rootNamespace;
  }

  /** Takes a place for a policy; the last one by name loses its own where there is none left. Returns whether it has one. */
  take(namespace: string, name: string): boolean {
    if (namespace === this.#rootNamespace) return true;
    const names = this.#names.get(namespace) ?? [];
    this.#names.set(namespace, names);
    const index = names.findIndex((other) => other >= name);
    if (names[index] === name) return true;
    if (index === -1 && names.length >= MAX_POLICIES) return false;
    names.splice(index === -1 ? names.length : index, 0, name);
    names.length = Math.min(names.length, MAX_POLICIES);
    return true;
  }

  /** Whether a policy has a place. */
  has(namespace: string, name: string): boolean {
    return namespace === this.#rootNamespace || this.#names.get(namespace)?.includes(name) === true;
  }

  /** Gives back the places of all policies that are not there any more. */
  retain(isThere: (namespace: string, name: string) => boolean): void {
    for (const [namespace, names] of this.#names) {
      const left = names.filter((name) => isThere(namespace, name));
      if (left.length === 0) this.#names.delete(namespace);
      else if (left.length < names.length) this.#names.set(namespace, left);
    }
  }
}
