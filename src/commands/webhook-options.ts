/**
 * What the flags of `gracegate webhook` mean together: chiefly where its certificate comes from.
 */
import type { Lifetimes } from "../tls/make-set.ts";
import { type Read, refused, value } from "./kit/read.ts";
import type { NamespacedName, WebhookValues } from "./webhook.ts";

/** Where the serving certificate comes from: files, or a Secret that the webhook keeps itself. */
export type CertificateOrigin =
  | { readonly from: "files"; readonly cert: string; readonly key: string }
  | {
      readonly from: "self";
      readonly secret: NamespacedName;
      /** DNS names of the Service; the first is the one that the API server uses. */
      readonly names: readonly string[];
      readonly mutating: readonly string[];
      readonly validating: readonly string[];
      readonly lifetimes: Lifetimes;
    };

/** The options: the flags' values, and the certificate's origin. */
export interface WebhookOptions extends WebhookValues {
  readonly certificate: CertificateOrigin;
}

/** Reads the flags' values together. */
export function webhookOptions(values: WebhookValues): Read<WebhookOptions> {
  const certificate = certificateOf(values);
  return certificate.ok ? value({ ...values, certificate: certificate.value }) : certificate;
}

function certificateOf(values: WebhookValues): Read<CertificateOrigin> {
  const { tlsCert: cert, tlsKey: key, tlsSecret: secret, service, authorityMs, servingMs } = values;
  if (secret === undefined) {
    if (cert !== undefined && key !== undefined) return value({ from: "files", cert, key });
    return refused(
      "a certificate is needed: --tls-cert and --tls-key, which gracegate certs makes for development, or --tls-secret.",
    );
  }
  if (cert !== undefined || key !== undefined) {
    return refused("--tls-secret keeps a certificate, and --tls-cert and --tls-key bring one; choose.");
  }
  if (service === undefined) return refused("--tls-secret needs --service, the name to make a certificate for.");
  const host = `${service}.${secret.namespace}`;
  return value({
    from: "self",
    secret,
    names: [`${host}.svc`, `${host}.svc.cluster.local`, host, service],
    mutating: values.mutating ?? [],
    validating: values.validating ?? [],
    lifetimes: { authorityMs, servingMs },
  });
}
