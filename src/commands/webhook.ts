/**
 * `gracegate webhook`: the HTTPS admission server.
 */
import { setTimeout as wait } from "node:timers/promises";
import { Option } from "commander";
import type { Logger } from "pino";
import { webhookApp } from "../admission/app.ts";
import { startServer, type WebhookServer } from "../admission/server.ts";
import { lineOf } from "../codes/registry.ts";
import type { PolicySnapshot } from "../policy/snapshot.ts";
import { loadPolicies, type PolicyPaths } from "../sources/policy-files.ts";
import { watchFiles } from "../sources/watch-files.ts";
import { LOG_LEVELS, type LogLevel, startLog } from "../telemetry/log.ts";
import { type WebhookMetrics, webhookMetrics } from "../telemetry/metrics.ts";
import { startMetrics } from "../telemetry/metrics-server.ts";
import { readCertificate, type ServingCertificate } from "../tls/certificate-files.ts";
import { parseDuration } from "../units/duration.ts";
import { version } from "../version.ts";
import { type CommandDefinition, exitCode, say, WrongUse } from "./command.ts";

/** How long requests in flight are waited for at the end, milliseconds. */
const PATIENCE_MS = 10_000;

/** The command. */
export const webhook: CommandDefinition = {
  name: "webhook",
  summary: "the HTTPS admission server",
  examples: [
    "gracegate webhook --policy examples/policies --tls-cert certs/tls.crt --tls-key certs/tls.key",
    "gracegate webhook --policy policies.yaml --mesh-config mesh.yaml --tls-cert tls.crt --tls-key tls.key --port 8443",
  ],
  configure(cli) {
    const option = (flags: string, text: string, variable: string) =>
      new Option(flags, text).env(`GRACEGATE_${variable}`);
    cli
      .addOption(option("--policy <path>", "GracePolicy file or folder; watched", "POLICY").makeOptionMandatory())
      .addOption(option("--tls-cert <file>", "serving certificate, PEM; watched", "TLS_CERT").makeOptionMandatory())
      .addOption(option("--tls-key <file>", "its private key, PEM; watched", "TLS_KEY").makeOptionMandatory())
      .addOption(option("--port <n>", "HTTPS port", "PORT").default("8443"))
      .addOption(option("--bind <address>", "address to listen on; all unless set", "BIND"))
      .addOption(option("--metrics-port <n>", "plain HTTP port of /metrics", "METRICS_PORT").default("9090"))
      .addOption(
        option("--hc-image <image>", "image of hc where no policy names one", "HC_IMAGE").default(
          `gracegate:${version}`,
        ),
      )
      .addOption(
        option("--root-namespace <name>", "namespace whose policies hold everywhere", "ROOT_NAMESPACE").default(
          "gracegate",
        ),
      )
      .addOption(
        option("--mesh-config <path>", "Istio's mesh config, or a mounted ConfigMap's folder; watched", "MESH_CONFIG"),
      )
      .addOption(
        option(
          "--gateway-templates <list>",
          "Istio's injection templates that make a gateway",
          "GATEWAY_TEMPLATES",
        ).default("gateway"),
      )
      .addOption(
        option("--shutdown-delay <duration>", "time to keep serving after SIGTERM", "SHUTDOWN_DELAY").default("5s"),
      )
      .addOption(option("--log-level <level>", "how much is logged", "LOG_LEVEL").choices(LOG_LEVELS).default("info"));
  },
  run: async (options) => new Webhook(optionsOf(options)).run(),
};

interface WebhookOptions {
  readonly policies: PolicyPaths;
  readonly tlsCert: string;
  readonly tlsKey: string;
  readonly port: number;
  readonly bind: string | undefined;
  readonly metricsPort: number;
  readonly hcImage: string;
  readonly gatewayTemplates: readonly string[];
  readonly shutdownDelayMs: number;
  readonly logLevel: LogLevel;
}

function optionsOf(given: Record<string, unknown>): WebhookOptions {
  const delay = parseDuration(given.shutdownDelay);
  if (!delay.ok)
    throw new WrongUse(`--shutdown-delay: ${String(given.shutdownDelay)} is not a duration: ${delay.reason}.`);
  return {
    policies: {
      policy: String(given.policy),
      meshConfig: textOr(given.meshConfig),
      rootNamespace: String(given.rootNamespace),
    },
    tlsCert: String(given.tlsCert),
    tlsKey: String(given.tlsKey),
    port: portOf("--port", given.port),
    bind: textOr(given.bind),
    metricsPort: portOf("--metrics-port", given.metricsPort),
    hcImage: String(given.hcImage),
    gatewayTemplates: String(given.gatewayTemplates)
      .split(",")
      .map((name) => name.trim()),
    shutdownDelayMs: delay.seconds * 1000,
    logLevel: given.logLevel as LogLevel,
  };
}

function textOr(value: unknown): string | undefined {
  return value === undefined || value === "" ? undefined : String(value);
}

function portOf(flag: string, value: unknown): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new WrongUse(`${flag}: ${String(value)} is not a port number from 0 to 65535.`);
  }
  return port;
}

/** The running webhook: what it serves with at this moment. */
class Webhook {
  readonly #options: WebhookOptions;
  readonly #metrics: WebhookMetrics = webhookMetrics();
  readonly #stop = new AbortController();
  #isDraining = false;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  async run() {
    const options = this.#options;
    const loaded = loadPolicies(options.policies);
    if (!loaded.ok) throw new WrongUse(`the policies cannot be used:\n${loaded.problems.map(lineOf).join("\n")}`);
    const certificate = readCertificate(options.tlsCert, options.tlsKey);
    if (!certificate.ok) {
      throw new WrongUse(`${certificate.reason}. gracegate certs makes one for development.`);
    }
    const log = startLog(options.logLevel);
    const { logger } = log;
    let snapshot = loaded.snapshot;
    this.#notePolicies(snapshot);
    this.#noteCertificate(certificate.certificate);

    const app = webhookApp({
      options: () => ({ snapshot, hcImage: options.hcImage, gatewayTemplates: options.gatewayTemplates }),
      notReady: () => (this.#isDraining ? "on the way out" : undefined),
      isDraining: () => this.#isDraining,
      metrics: this.#metrics,
      logger,
    });
    const server = await startServer(app, certificate.certificate, options);
    const metricsServer = await startMetrics(this.#metrics.registry, options.metricsPort, options.bind);
    // A second signal changes nothing: what is in flight is answered.
    const terminated = new Promise<void>((resolve) => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve());
    });

    const { policy, meshConfig } = options.policies;
    const watched = Promise.all([
      watchFiles(
        meshConfig === undefined ? [policy] : [policy, meshConfig],
        () => {
          snapshot = this.#reloadPolicies(logger) ?? snapshot;
        },
        this.#stop.signal,
      ),
      watchFiles([options.tlsCert, options.tlsKey], () => this.#reloadCertificate(server, logger), this.#stop.signal),
    ]);
    logger.info({
      event: "started",
      version,
      port: server.port,
      metricsPort: metricsServer.port,
      policies: snapshot.size,
    });
    log.flush();
    say(
      `gracegate ${version} answers on https://${server.address.includes(":") ? `[${server.address}]` : server.address}:${server.port}/mutate with ${snapshot.size} policies; metrics on port ${metricsServer.port}.`,
    );

    await terminated;
    this.#isDraining = true;
    logger.info({ event: "stopping", delayMs: options.shutdownDelayMs });
    log.flush();
    await wait(options.shutdownDelayMs);
    await server.close(PATIENCE_MS);
    this.#stop.abort();
    metricsServer.close();
    await watched;
    logger.info({ event: "stopped" });
    log.flush();
    return exitCode.ok;
  }

  #reloadPolicies(logger: Logger): PolicySnapshot | undefined {
    const loaded = loadPolicies(this.#options.policies);
    if (loaded.ok) {
      this.#notePolicies(loaded.snapshot);
      logger.info({ event: "policies-loaded", policies: loaded.snapshot.size });
      return loaded.snapshot;
    }
    this.#metrics.policyLoads.inc({ result: "refused" });
    for (const problem of loaded.problems) {
      this.#metrics.notices.inc({ code: problem.code });
      logger.error({ event: "policies-refused", code: problem.code, problem: problem.text, kept: "the last good set" });
    }
    return undefined;
  }

  #reloadCertificate(server: WebhookServer, logger: Logger): void {
    const loaded = readCertificate(this.#options.tlsCert, this.#options.tlsKey);
    if (loaded.ok) {
      server.useCertificate(loaded.certificate);
      this.#noteCertificate(loaded.certificate);
      logger.info({ event: "certificate-loaded", notAfter: loaded.certificate.notAfter.toISOString() });
    } else {
      this.#metrics.certificateLoads.inc({ result: "refused" });
      logger.error({ event: "certificate-refused", problem: loaded.reason, kept: "the last good one" });
    }
  }

  #notePolicies(snapshot: PolicySnapshot): void {
    this.#metrics.policies.set(snapshot.size);
    this.#metrics.policyLoads.inc({ result: "loaded" });
    this.#metrics.policyLoaded.set(Date.now() / 1000);
  }

  #noteCertificate(certificate: ServingCertificate): void {
    this.#metrics.certificateExpiry.set(certificate.notAfter.getTime() / 1000);
    this.#metrics.certificateLoads.inc({ result: "loaded" });
    this.#metrics.certificateLoaded.set(Date.now() / 1000);
  }
}
