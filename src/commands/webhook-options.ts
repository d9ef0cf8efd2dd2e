/**
 * The options of `gracegate webhook`, checked once.
 */
import { type Command, Option } from "commander";
import { LOG_LEVELS, type LogLevel } from "../telemetry/log.ts";
import type { Lifetimes } from "../tls/renewal.ts";
import { parseDuration } from "../units/duration.ts";
import { version } from "../version.ts";
import { WrongUse } from "./command.ts";

/** Where the policies, or the mesh config, come from. */
export type Origin = { readonly from: "cluster" } | { readonly from: "file"; readonly path: string };

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

/** An object in a namespace. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** The options after checking. */
export interface WebhookOptions {
  readonly policy: Origin;
  /** Undefined: the mesh sets nothing. */
  readonly meshConfig: Origin | undefined;
  readonly meshConfigMap: NamespacedName;
  readonly rootNamespace: string;
  readonly certificate: CertificateOrigin;
  readonly port: number;
  readonly bind: string | undefined;
  readonly metricsPort: number;
  readonly hcImage: string;
  readonly gatewayTemplates: readonly string[];
  readonly shutdownDelayMs: number;
  readonly logLevel: LogLevel;
}

/** Declares the options; each is also a variable GRACEGATE_…. */
export function declareOptions(cli: Command): void {
  const option = (flags: string, text: string, variable: string) =>
    new Option(flags, text).env(`GRACEGATE_${variable}`);
  const options = [
    option("--policy <path>", "GracePolicy file or folder, watched; or: cluster", "POLICY").makeOptionMandatory(),
    option("--tls-cert <file>", "serving certificate, PEM; watched", "TLS_CERT"),
    option("--tls-key <file>", "its private key, PEM; watched", "TLS_KEY"),
    option("--tls-secret <ns/name>", "Secret to keep certificates in, instead of files", "TLS_SECRET"),
    option("--service <name>", "Service in that namespace, to make certificates for", "SERVICE"),
    option("--webhook-configuration <list>", "MutatingWebhookConfigurations to register in", "WEBHOOK_CONFIGURATION"),
    option("--review-configuration <list>", "ValidatingWebhookConfigurations likewise", "REVIEW_CONFIGURATION"),
    option("--certificate-days <n>", "how long a certificate is kept", "CERTIFICATE_DAYS").default("90"),
    option("--ca-days <n>", "how long its authority is kept", "CA_DAYS").default("3650"),
    option("--port <n>", "HTTPS port", "PORT").default("8443"),
    option("--bind <address>", "address to listen on; all unless set", "BIND"),
    option("--metrics-port <n>", "plain HTTP port of /metrics and /livez", "METRICS_PORT").default("9090"),
    option("--hc-image <image>", "image of hc where no policy names one", "HC_IMAGE").default(`gracegate:${version}`),
    option("--root-namespace <name>", "namespace whose policies hold everywhere", "ROOT_NAMESPACE").default(
      "gracegate",
    ),
    option(
      "--mesh-config <file>",
      "Istio's mesh config, or a mounted ConfigMap's folder, watched; or: cluster",
      "MESH_CONFIG",
    ),
    option("--mesh-config-map <ns/name>", "its ConfigMap, for --mesh-config cluster", "MESH_CONFIG_MAP").default(
      "istio-system/istio",
    ),
    option(
      "--gateway-templates <list>",
      "Istio's injection templates that make a gateway",
      "GATEWAY_TEMPLATES",
    ).default("gateway"),
    option("--shutdown-delay <duration>", "time to keep serving after SIGTERM", "SHUTDOWN_DELAY").default("5s"),
    option("--log-level <level>", "how much is logged", "LOG_LEVEL").choices(LOG_LEVELS).default("info"),
  ];
  for (const one of options) cli.addOption(one);
}

/**
 * Checks the options.
 *
 * @throws WrongUse with the sentence for whoever typed them
 */
export function checkedOptions(given: Record<string, unknown>): WebhookOptions {
  const delay = parseDuration(given.shutdownDelay);
  if (!delay.ok) {
    throw new WrongUse(`--shutdown-delay: ${String(given.shutdownDelay)} is not a duration: ${delay.reason}.`);
  }
  const meshConfig = textOr(given.meshConfig);
  return {
    policy: originOf(String(given.policy)),
    meshConfig: meshConfig === undefined ? undefined : originOf(meshConfig),
    meshConfigMap: pairOf("--mesh-config-map", given.meshConfigMap),
    rootNamespace: String(given.rootNamespace),
    certificate: certificateOf(given),
    port: portOf("--port", given.port),
    bind: textOr(given.bind),
    metricsPort: portOf("--metrics-port", given.metricsPort),
    hcImage: String(given.hcImage),
    gatewayTemplates: listOf(given.gatewayTemplates),
    shutdownDelayMs: delay.seconds * 1000,
    logLevel: given.logLevel as LogLevel,
  };
}

function certificateOf(given: Record<string, unknown>): CertificateOrigin {
  const cert = textOr(given.tlsCert);
  const key = textOr(given.tlsKey);
  const secret = textOr(given.tlsSecret);
  if (secret === undefined) {
    if (cert !== undefined && key !== undefined) return { from: "files", cert, key };
    throw new WrongUse(
      "a certificate is needed: --tls-cert and --tls-key, which gracegate certs makes for development, or --tls-secret.",
    );
  }
  if (cert !== undefined || key !== undefined) {
    throw new WrongUse("--tls-secret keeps a certificate, and --tls-cert and --tls-key bring one; choose.");
  }
  const service = textOr(given.service);
  if (service === undefined) throw new WrongUse("--tls-secret needs --service, the name to make a certificate for.");
  const kept = pairOf("--tls-secret", secret);
  const host = `${service}.${kept.namespace}`;
  return {
    from: "self",
    secret: kept,
    names: [`${host}.svc`, `${host}.svc.cluster.local`, host, service],
    mutating: listOf(given.webhookConfiguration ?? ""),
    validating: listOf(given.reviewConfiguration ?? ""),
    lifetimes: {
      authorityMs: daysOf("--ca-days", given.caDays),
      servingMs: daysOf("--certificate-days", given.certificateDays),
    },
  };
}

const DAY_MS = 86_400_000;

/** Parts of a day are allowed, so that a renewal can be watched. */
function daysOf(flag: string, value: unknown): number {
  const days = Number(value);
  if (!(days > 0 && days <= 36_500)) {
    throw new WrongUse(`${flag}: ${String(value)} is not a number of days above 0 and up to 36500.`);
  }
  return days * DAY_MS;
}

/** A file that is called `cluster` can be written `./cluster`. */
function originOf(value: string): Origin {
  return value === "cluster" ? { from: "cluster" } : { from: "file", path: value };
}

function textOr(value: unknown): string | undefined {
  return value === undefined || value === "" ? undefined : String(value);
}

function listOf(value: unknown): readonly string[] {
  return String(value)
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function pairOf(flag: string, value: unknown): NamespacedName {
  const match = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(String(value));
  if (match === null) throw new WrongUse(`${flag}: ${String(value)} is not NAMESPACE/NAME.`);
  return { namespace: match[1] ?? "", name: match[2] ?? "" };
}

function portOf(flag: string, value: unknown): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new WrongUse(`${flag}: ${JSON.stringify(value)} is not a port number from 0 to 65535.`);
  }
  return port;
}
