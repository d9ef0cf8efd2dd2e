/**
 * A certificate authority and a serving certificate of it, for development and tests.
 */
import { issue, makeAuthority } from "./authority.ts";

/** What `gracegate certs` makes: PEM texts. */
export interface DevelopmentCertificates {
  readonly caCert: string;
  readonly caKey: string;
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;

/**
 * Makes a CA and a serving certificate.
 *
 * @param names DNS names and IP addresses that the certificate is for
 * @param days how long both are valid
 */
export async function makeCertificates(names: readonly string[], days: number): Promise<DevelopmentCertificates> {
  const from = Date.now();
  const validity = { from, until: from + days * DAY_MS };
  const authority = await makeAuthority("Gracegate development CA", validity);
  const { cert, key } = await issue(authority, names, validity);
  return { caCert: authority.cert, caKey: authority.key, cert, key };
}
