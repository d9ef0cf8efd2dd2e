/**
 * A certificate authority and a serving certificate of it, for development and tests.
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
  X509CertificateGenerator,
} from "@peculiar/x509";

/** What `gracegate certs` makes: PEM texts. */
export interface DevelopmentCertificates {
  readonly caCert: string;
  readonly caKey: string;
  readonly cert: string;
  readonly key: string;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A clock that is behind must not find the certificate not yet valid. */
const BACKDATE_MS = 3_600_000;

const DAY_MS = 86_400_000;

/**
 * Makes a CA and a serving certificate.
 *
 * @param names DNS names and IP addresses that the certificate is for
 * @param days how long both are valid
 */
export async function makeCertificates(names: readonly string[], days: number): Promise<DevelopmentCertificates> {
  cryptoProvider.set(webcrypto);
  const notBefore = new Date(Date.now() - BACKDATE_MS);
  const notAfter = new Date(Date.now() + days * DAY_MS);
  const caKeys = (await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
  const caName = "CN=Gracegate development CA";
  const ca = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: caName,
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const keys = (await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
  const leaf = await X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: "CN=Gracegate webhook",
    issuer: caName,
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names.map(generalName)),
      await AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    caCert: `${ca.toString("pem")}\n`,
    caKey: await pemOfKey(caKeys.privateKey),
    cert: `${leaf.toString("pem")}\n`,
    key: await pemOfKey(keys.privateKey),
  };
}

function generalName(name: string): JsonGeneralName {
  return { type: /^[0-9.]+$|:/.test(name) ? "ip" : "dns", value: name };
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
