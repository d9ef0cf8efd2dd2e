/**
 * The options of `gracegate webhook`, checked once.
 */
import { type Command, Option } from "commander";
import { LOG_LEVELS, type LogLevel } from "../telemetry/log.ts";
import { parseDuration } from "../units/duration.ts";
import { version } from "../version.ts";
import { WrongUse } from "./command.ts";

/** Where the policies, or the mesh config, come from. */
export type Origin = { readonly from: "cluster" } | { readonly from: "file"; readonly path: string };

/** Where the serving certificate comes from. */
export type CertificateOrigin = { readonly from: "files"; readonly cert: string; readonly key: string };

/** The options after checking. */
export interface WebhookOptions {
  readonly policy: Origin;
  /** Undefined: the mesh sets nothing. */
  readonly meshConfig: Origin | undefined;
  readonly meshConfigMap: { readonly namespace: string; readonly name: string };
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
  const [namespace, name] = pairOf("--mesh-config-map", given.meshConfigMap);
  return {
    policy: originOf(String(given.policy)),
    meshConfig: meshConfig === undefined ? undefined : originOf(meshConfig),
    meshConfigMap: { namespace, name },
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
  if (cert === undefined || key === undefined) {
    throw new WrongUse("--tls-cert and --tls-key are needed; gracegate certs makes both for development.");
  }
  return { from: "files", cert, key };
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
    .map((name) => name.trim());
}

function pairOf(flag: string, value: unknown): readonly [string, string] {
  const match = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(String(value));
  if (match === null) throw new WrongUse(`${flag}: ${String(value)} is not NAMESPACE/NAME.`);
  return [match[1] ?? "", match[2] ?? ""];
}

function portOf(flag: string, value: unknown): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new WrongUse(`${flag}: ${String(value)} is not a port number from 0 to 65535.`);
  }
  return port;
}
