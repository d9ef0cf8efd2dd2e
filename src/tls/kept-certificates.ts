/**
 * The certificates that the webhook keeps itself, as they lie in one Secret, and what of a Secret's content can be used.
 *
 *     ca.crt  ca.key            the authority that signed tls.crt
 *     tls.crt tls.key           what is served
 *     next-ca.crt next-ca.key   while the authority is renewed: the one that comes
 *     old-ca.crt                for a while afterwards: the one that went, so that nobody is cut off
 *
 * Anybody may have written anything into it, so nothing is used that does not fit together.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { KeyPair } from "./authority.ts";

/** A complete set. */
export interface KeptCertificates {
  readonly ca: KeyPair;
  readonly serving: KeyPair;
  readonly nextCa?: KeyPair | undefined;
  /** PEM, one or more. */
  readonly oldCa?: string | undefined;
}

/** What of a Secret's content can be used. */
export interface Examined {
  readonly ca: KeyPair | undefined;
  readonly serving: KeyPair | undefined;
  readonly nextCa: KeyPair | undefined;
  readonly oldCa: string | undefined;
  /** What cannot be used, as the rest of a sentence about the Secret. */
  readonly problems: readonly string[];
}

/** The content of a Secret: texts by key, decoded. */
export type SecretData = Readonly<Record<string, string>>;

/** Two clocks, milliseconds since 1970. */
export interface Clocks {
  /** The API server's: it verifies the certificates, and is the same for all replicas. */
  readonly server: number;
  /** This machine's. */
  readonly own: number;
}

/** Nothing may be written now, because this replica may be the only one that sees it so. Later it can be decided. */
export class Undecided extends Error {}

/**
 * A certificate that begins within this time is young, and not useless: somebody's clock is behind, and it comes by itself,
 * milliseconds.
 */
const YOUNG_MS = 86_400_000;

/**
 * Examines a Secret's content.
 *
 * @param names the DNS names that the serving certificate must be for
 * @throws Undecided where a certificate is not valid by one clock only, or young
 */
export function examine(data: SecretData, names: readonly string[], clocks: Clocks): Examined {
  const problems: string[] = [];
  const use = <T>(what: string, read: () => T | undefined): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (error instanceof Undecided) throw new Undecided(`${what} ${error.message}`);
      problems.push(`${what} ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}`);
      return undefined;
    }
  };
  const ca = use("ca.crt", () => authority(data["ca.crt"], data["ca.key"], clocks));
  if (ca === undefined && problems.length === 0) problems.push("has no ca.crt");
  return {
    ca,
    serving: ca && use("tls.crt", () => servingCertificate(data["tls.crt"], data["tls.key"], ca, names, clocks)),
    nextCa: use("next-ca.crt", () => authority(data["next-ca.crt"], data["next-ca.key"], clocks)),
    oldCa: use("old-ca.crt", () => oldAuthorities(data["old-ca.crt"], clocks)),
    problems,
  };
}

/** The content of the Secret for a set. An empty text is a key that goes. */
export function secretDataOf({ ca, serving, nextCa, oldCa }: KeptCertificates): SecretData {
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

/** All authorities that a client must trust: what stands in every caBundle. */
export function bundleOf({ ca, nextCa, oldCa }: KeptCertificates): string {
  return [ca.cert, nextCa?.cert, oldCa].map((cert) => cert ?? "").join("");
}

/** When a certificate ends, milliseconds since 1970. */
export function endOf(cert: string): number {
  return Date.parse(new X509Certificate(cert).validTo);
}

/** When a certificate begins, milliseconds since 1970. */
export function beginOf(cert: string): number {
  return Date.parse(new X509Certificate(cert).validFrom);
}

/** Whether a certificate is valid at a time, milliseconds since 1970. */
export function isValidAt(cert: string, now: number): boolean {
  return now >= beginOf(cert) && now < endOf(cert);
}

/** The authorities in a bundle that are valid at a time: PEM, one after the other; what is none is left out. */
export function authoritiesIn(bundle: string, now: number): string {
  const isUsable = (cert: string) => {
    try {
      return new X509Certificate(cert).ca && isValidAt(cert, now);
    } catch {
      return false;
    }
  };
  return certificatesIn(bundle)
    .filter(isUsable)
    .map((cert) => pem(new X509Certificate(cert)))
    .join("");
}

function certificatesIn(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

function isThere(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== "";
}

/** Those that are valid still. @throws an error that completes "NAME.crt …" where none is */
function oldAuthorities(text: string | undefined, clocks: Clocks): string | undefined {
  if (!isThere(text)) return undefined;
  const valid = authoritiesIn(text, clocks.server);
  if (valid === "") throw new Error("has no authority that is valid");
  return valid;
}

/** @throws an error that completes "NAME.crt …" */
function authority(cert: string | undefined, key: string | undefined, clocks: Clocks): KeyPair | undefined {
  if (!isThere(cert)) return undefined;
  const ca = new X509Certificate(valid(cert, clocks));
  if (!ca.ca) throw new Error("is no certificate authority");
  if (!ca.verify(ca.publicKey)) throw new Error("is not signed by itself");
  return { cert: pem(ca), key: keyOf(ca, key) };
}

/** @throws an error that completes "tls.crt …" */
function servingCertificate(
  cert: string | undefined,
  key: string | undefined,
  ca: KeyPair,
  names: readonly string[],
  clocks: Clocks,
): KeyPair {
  if (!isThere(cert)) throw new Error("is missing");
  const leaf = new X509Certificate(valid(cert, clocks));
  const issuer = new X509Certificate(ca.cert);
  if (!leaf.checkIssued(issuer) || !leaf.verify(issuer.publicKey)) throw new Error("is not signed by ca.crt");
  const missing = names.find((name) => leaf.checkHost(name) === undefined);
  if (missing !== undefined) throw new Error(`is not for ${missing}`);
  return { cert: pem(leaf), key: keyOf(leaf, key) };
}

/** @throws where it is none, or not valid; Undecided where a clock may be wrong */
function valid(cert: string, { server, own }: Clocks): string {
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(cert);
  } catch {
    throw new Error("is no certificate");
  }
  const text = pem(parsed);
  if (isValidAt(text, server)) return text;
  const hasEnded = server >= endOf(text);
  const problem = hasEnded ? `ended at ${parsed.validTo}` : `begins only at ${parsed.validFrom}`;
  const at = (clock: number) => new Date(clock).toISOString();
  const clocks = `it is ${at(server)} by the API server's clock, ${at(own)} by this machine's`;
  if (isValidAt(text, own)) throw new Undecided(`${problem}, and the clocks differ: ${clocks}`);
  if (!hasEnded && beginOf(text) - server < YOUNG_MS) throw new Undecided(`${problem}: ${clocks}`);
  throw new Error(problem);
}

function keyOf(cert: X509Certificate, key: string | undefined): string {
  if (!isThere(key)) throw new Error("has no key");
  try {
    if (cert.checkPrivateKey(createPrivateKey(key))) return key;
  } catch {
    throw new Error("has a key that is none");
  }
  throw new Error("has the key of another certificate");
}

/** One certificate, however it was written: what else stood in the text is left out. */
function pem(cert: X509Certificate): string {
  return `${cert.toString().trim()}\n`;
}
