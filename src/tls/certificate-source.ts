/**
 * Where the serving certificate comes from: files (a mounted Secret, or what `gracegate certs` made), or a Secret that
 * the webhook keeps itself.
 */
import type { ServingCertificate } from "./certificate-files.ts";

/** What a certificate source tells. None of these may throw. */
export interface CertificateEvents {
  /** There is another certificate to serve. */
  changed(): void;
  /** Something cannot be used; what is served stays. */
  refused(reason: string): void;
}

/** Where this process serves the certificate, on its own machine. */
export interface ServedAt {
  /** Addresses, tried one after the other. */
  readonly addresses: readonly string[];
  readonly port: number;
}

/** A source of the serving certificate. */
export interface CertificateSource {
  /** The certificate to serve; undefined before there is one. */
  current(): ServingCertificate | undefined;
  /** Why the API server must not be sent here yet; undefined when it may. */
  notReady(): string | undefined;
  /** Follows the source until the signal is aborted. Never rejects. */
  follow(at: ServedAt, signal: AbortSignal): Promise<void>;
}

/** Why a certificate cannot be served at a time (milliseconds since 1970): no client trusts one that has ended. */
export function whyEnded(certificate: ServingCertificate | undefined, now: number): string | undefined {
  if (certificate === undefined || certificate.notAfter.getTime() > now) return undefined;
  return `the certificate ended at ${certificate.notAfter.toISOString()}`;
}
