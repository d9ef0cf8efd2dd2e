/**
 * The certificates that the webhook manages itself, as they lie in one Secret.
 *
 *     ca.crt  ca.key            the authority that signed tls.crt
 *     tls.crt tls.key           what is served
 *     next-ca.crt next-ca.key   while the authority is renewed: the one that comes
 *     old-ca.crt                for a while afterwards: the one that went, so that nobody is cut off
 *
 * Anybody may have written anything into it, so nothing is used that does not fit together. Whether a certificate is valid
 * now is no question of this file: renewal.ts asks the clocks.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { KeyPair } from "./authority.ts";
import type { Life } from "./clocks.ts";

/** A certificate, its key, and when it is valid. */
export interface Certificate extends KeyPair, Life {}

/** An authority that is trusted only. */
export interface Authority extends Life {
  /** PEM. */
  readonly cert: string;
}

/** A complete set. */
export interface SelfManagedCertificates<Pair extends KeyPair = Certificate> {
  readonly ca: Pair;
  readonly serving: Pair;
  readonly nextCa?: Pair | undefined;
  /** PEM, one or more. */
  readonly oldCa?: string | undefined;
}

/** A certificate of the Secret, or why it is none that fits, as the rest of a sentence; undefined where it is not there. */
export type Entry = Certificate | string | undefined;

/** What lies in the Secret. */
export interface Contents {
  readonly ca: Entry;
  readonly serving: Entry;
  readonly nextCa: Entry;
  readonly oldCa: readonly Authority[] | undefined;
}

/** The content of a Secret: texts by key, decoded. */
export type SecretData = Readonly<Record<string, string>>;

/**
 * Reads a Secret's content.
 *
 * @param names the DNS names that the serving certificate must be for
 */
export function contentsOf(data: SecretData, names: readonly string[]): Contents {
  const authority = (name: string) => entry(data[`${name}.crt`], data[`${name}.key`], checkAuthority);
  const ca = authority("ca");
  const serving = (leaf: X509Certificate) => checkServing(leaf, new X509Certificate((ca as Certificate).cert), names);
  const old = data["old-ca.crt"];
  return {
    ca,
    serving: typeof ca === "object" ? (entry(data["tls.crt"], data["tls.key"], serving) ?? "is missing") : undefined,
    nextCa: authority("next-ca"),
    oldCa: isThere(old) ? authoritiesIn(old) : undefined,
  };
}

/** The content of the Secret for a set. An empty text is a key that goes. */
export function secretDataOf({ ca, serving, nextCa, oldCa }: SelfManagedCertificates<KeyPair>): SecretData {
  return {
    "ca.crt": ca.cert,
    "ca.key": ca.key,
    "tls.crt": serving.cert,
    "tls.key": serving.key,
    "next-ca.crt": nextCa?.cert ?? "",
    "next-ca.key": nextCa?.key ?? "",
    "old-ca.crt": oldCa ?? "",
  };
}

/** The authorities in a bundle; what is none is left out. */
export function authoritiesIn(bundle: string): readonly Authority[] {
  const certificates = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return certificates.flatMap((text) => {
    const one = parsed(text);
    return one?.ca ? [{ cert: pem(one), ...lifeOf(one) }] : [];
  });
}

/** @param check why it does not fit, as the rest of a sentence */
function entry(
  cert: string | undefined,
  key: string | undefined,
  check: (cert: X509Certificate) => string | undefined,
): Entry {
  if (!isThere(cert)) return undefined;
  const one = parsed(cert);
  if (one === undefined) return "is no certificate";
  return check(one) ?? checkKey(one, key) ?? { cert: pem(one), key: key ?? "", ...lifeOf(one) };
}

function checkAuthority(ca: X509Certificate): string | undefined {
  if (!ca.ca) return "is no certificate authority";
  return ca.verify(ca.publicKey) ? undefined : "is not signed by itself";
}

function checkServing(leaf: X509Certificate, issuer: X509Certificate, names: readonly string[]): string | undefined {
  if (!leaf.checkIssued(issuer) || !leaf.verify(issuer.publicKey)) return "is not signed by ca.crt";
  const missing = names.find((name) => leaf.checkHost(name) === undefined);
  return missing === undefined ? undefined : `is not for ${missing}`;
}

function checkKey(cert: X509Certificate, key: string | undefined): string | undefined {
  if (!isThere(key)) return "has no key";
  try {
    return cert.checkPrivateKey(createPrivateKey(key)) ? undefined : "has the key of another certificate";
  } catch {
    return "has a key that is none";
  }
}

function parsed(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}

function isThere(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== "";
}

function lifeOf({ validFrom, validTo }: X509Certificate): Life {
  return { begin: Date.parse(validFrom), end: Date.parse(validTo) };
}

/** One certificate, however it was written: what else stood in the text is left out. */
function pem(cert: X509Certificate): string {
  return `${cert.toString().trim()}\n`;
}
