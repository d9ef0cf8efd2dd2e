/**
 * A certificate authority of our own, and the serving certificates that it issues.
 *
 * Each authority has a name of its own: while two of them stand in one bundle, a verifier must not try the wrong key.
 */
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** How long something is valid, milliseconds since 1970. */
export interface Validity {
  /** When it is made. Certificates are valid from an hour before. */
  readonly from: number;
  readonly until: number;
}

/** A clock that is behind must not find the certificate not yet valid, milliseconds. */
export const BACKDATE_MS = 3_600_000;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Makes an authority. */
export async function makeAuthority(name: string, validity: Validity): Promise<KeyPair> {
  cryptoProvider.set(webcrypto);
  const keys = await newKeys();
  const serialNumber = serial();
  const ca = await X509CertificateGenerator.createSelfSigned({
    serialNumber,
    name: `CN=${name} ${serialNumber.slice(0, 8)}`,
    ...dates(validity),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: pemOf(ca), key: await pemOfKey(keys.privateKey) };
}

/**
 * Issues a serving certificate.
 *
 * @param names DNS names and IP addresses that the certificate is for
 */
export async function issue(authority: KeyPair, names: readonly string[], validity: Validity): Promise<KeyPair> {
  cryptoProvider.set(webcrypto);
  const ca = new X509Certificate(authority.cert);
  const pkcs8 = PemConverter.decodeFirst(authority.key);
  const signingKey = await webcrypto.subtle.importKey("pkcs8", pkcs8, ALGORITHM, false, ["sign"]);
  const keys = await newKeys();
  const leaf = await X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: "CN=Gracegate webhook",
    issuer: ca.subject,
    ...dates(validity),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names.map(generalName)),
      await AuthorityKeyIdentifierExtension.create(await ca.publicKey.export(webcrypto)),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: pemOf(leaf), key: await pemOfKey(keys.privateKey) };
}

function dates({ from, until }: Validity) {
  return { notBefore: new Date(from - BACKDATE_MS), notAfter: new Date(until) };
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
}

function generalName(name: string): JsonGeneralName {
  return { type: /^[0-9.]+$|:/.test(name) ? "ip" : "dns", value: name };
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString("pem")}\n`;
}

async function pemOfKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`;
}

/** 127 random bits: positive, as RFC 5280 wants it. */
function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return Buffer.from(bytes).toString("hex");
}
