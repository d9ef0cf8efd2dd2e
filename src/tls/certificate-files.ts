/**
 * The serving certificate from two files: a mounted Secret, or what `gracegate certs` made.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

/** A certificate that can be served. */
export interface ServingCertificate {
  /** PEM, the leaf first. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  readonly notAfter: Date;
}

/** A serving certificate, or the reason why the files do not make one. */
export type LoadedCertificate =
  | { readonly ok: true; readonly certificate: ServingCertificate }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads a certificate and its key, and checks that they belong together.
 *
 * While a tool replaces the two files one after the other they do not, and the ones in use stay.
 */
export function readCertificate(certFile: string, keyFile: string): LoadedCertificate {
  try {
    const cert = readFileSync(certFile, "utf8");
    const key = readFileSync(keyFile, "utf8");
    const leaf = new X509Certificate(cert);
    if (!leaf.checkPrivateKey(createPrivateKey(key))) {
      return { ok: false, reason: `${keyFile} is not the key of ${certFile}` };
    }
    return { ok: true, certificate: { cert, key, notAfter: new Date(leaf.validTo) } };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return { ok: false, reason: `${certFile} and ${keyFile} cannot be used: ${reason}` };
  }
}
