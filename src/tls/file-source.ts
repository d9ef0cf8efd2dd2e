/**
 * The serving certificate from two files, watched: a mounted Secret of cert-manager or of anybody else.
 */
import { watchFiles } from "../sources/watch-files.ts";
import { readCertificate } from "./certificate-files.ts";
import { type CertificateEvents, type CertificateSource, whyEnded } from "./certificate-source.ts";

/** A source, or the reason why the files do not make a certificate at the start. */
export type StartedCertificateSource =
  | { readonly ok: true; readonly source: CertificateSource }
  | { readonly ok: false; readonly reason: string };

/** Starts a source that is two files. */
export function certificateFiles(
  certFile: string,
  keyFile: string,
  events: CertificateEvents,
): StartedCertificateSource {
  const first = readCertificate(certFile, keyFile);
  if (!first.ok) return first;
  let { certificate } = first;
  const reload = () => {
    const next = readCertificate(certFile, keyFile);
    if (!next.ok) return events.refused(next.reason);
    certificate = next.certificate;
    events.changed();
  };
  return {
    ok: true,
    source: {
      current: () => certificate,
      notReady: () => whyEnded(certificate, Date.now()),
      follow: (_at, signal) => watchFiles([certFile, keyFile], reload, signal),
    },
  };
}
