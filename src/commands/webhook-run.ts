/**
 * What `gracegate webhook` does: policies, certificate and server, and the drain at the end.
 */
import { X509Certificate } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import { webhookApp } from "../admission/app.ts";
import { startServer, type WebhookServer } from "../admission/server.ts";
import { type PolicySnapshot, snapshotOf } from "../policy/snapshot.ts";
import type { SourceEvents } from "../sources/source.ts";
import { type Log, startLog } from "../telemetry/log.ts";
import { type SOURCES, type WebhookMetrics, webhookMetrics } from "../telemetry/metrics.ts";
import { startMetrics } from "../telemetry/metrics-server.ts";
import { version } from "../version.ts";
import { certificateEvents } from "./certificate-events.ts";
import { type ExitCode, exitCode } from "./kit/command.ts";
import type { Read, Refusal } from "./kit/read.ts";
import { say } from "./kit/say.ts";
import type { WebhookValues } from "./webhook.ts";
import { type WebhookOptions, webhookOptions } from "./webhook-options.ts";
import { startSources, type WebhookSources } from "./webhook-sources.ts";

/** How long requests in flight are waited for at the end, milliseconds. */
const PATIENCE_MS = 10_000;

/** Runs until SIGTERM. */
export async function run(values: WebhookValues): Promise<ExitCode | Refusal> {
  const options = webhookOptions(values);
  return options.ok ? new Webhook(options.value).run() : options;
}

/** The running webhook: what it serves with at this moment. */
class Webhook {
  readonly #options: WebhookOptions;
  readonly #metrics: WebhookMetrics = webhookMetrics(() => this.#notReady() === undefined);
  readonly #stop = new AbortController();
  #sources: WebhookSources | undefined;
  #server: WebhookServer | undefined;
  #snapshot: PolicySnapshot;
  #isDraining = false;
  /** What was last said about readiness. */
  #said: string | undefined = "not asked yet";

  constructor(options: WebhookOptions) {
    this.#options = options;
    this.#snapshot = snapshotOf([], options.rootNamespace);
  }

  async run(): Promise<ExitCode | Refusal> {
    const options = this.#options;
    const log = startLog(options.logLevel);
    const started = await this.#start(log.logger);
    if (!started.ok) return started;
    const sources = started.value;
    this.#sources = sources;
    this.#takePolicies();
    this.#noteCertificate();
    const { logger } = log;
    const app = webhookApp({
      options: () => ({
        snapshot: this.#snapshot,
        hcImage: options.hcImage,
        gatewayTemplates: options.gatewayTemplates,
      }),
      notReady: () => this.#readiness(logger),
      isDraining: () => this.#isDraining,
      metrics: this.#metrics,
      logger,
    });
    const metricsServer = await startMetrics(this.#metrics.registry, options.metricsPort, options.bind);
    const server = await startServer(app, sources.certificate.current(), options, () =>
      this.#metrics.shed.inc({ what: "connection" }),
    ).catch((error: unknown) => {
      metricsServer.close();
      throw error;
    });
    this.#server = server;
    // A second signal changes nothing: what is in flight is answered.
    const terminated = new Promise<void>((resolve) => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve());
    });
    const { signal } = this.#stop;
    const followed = Promise.all([
      sources.policies.follow(signal),
      sources.meshConfig.follow(signal),
      sources.certificate.follow({ port: server.port, addresses: ownAddresses(server.address) }, signal),
    ]);
    logger.info({
      event: "started",
      version,
      port: server.port,
      metricsPort: metricsServer.port,
      policies: this.#snapshot.size,
    });
    log.flush();
    say(
      `gracegate ${version} answers on https://${server.address.includes(":") ? `[${server.address}]` : server.address}:${server.port}/mutate with ${this.#policiesInWords()}; metrics on port ${metricsServer.port}.`,
    );

    await terminated;
    await this.#leave(server, log);
    metricsServer.close();
    await followed;
    logger.info({ event: "stopped" });
    log.flush();
    return exitCode.ok;
  }

  async #leave(server: WebhookServer, { logger, flush }: Log): Promise<void> {
    this.#isDraining = true;
    logger.info({ event: "stopping", delayMs: this.#options.shutdownDelay * 1000 });
    flush();
    await wait(this.#options.shutdownDelay * 1000);
    await server.close(PATIENCE_MS);
    this.#stop.abort();
  }

  /** Starts the sources, and says what happens when they change. */
  #start(logger: Logger): Promise<Read<WebhookSources>> {
    const metrics = this.#metrics;
    const settings = (source: (typeof SOURCES)[number]): SourceEvents => ({
      changed: () => {
        this.#takePolicies();
        logger.info({ event: "policies-loaded", source, policies: this.#snapshot.size });
      },
      refused: (problems, kept) => {
        metrics.policyLoads.inc({ result: "refused" });
        for (const { code, severity, text } of problems) {
          metrics.notices.inc({ code, severity });
          logger.error({ event: "policies-refused", source, code, problem: text, kept });
        }
      },
      unreachable: (reason, retryMs) => {
        metrics.sourceFailed(source);
        logger.warn({ event: "source-unreachable", source, problem: reason, retryMs });
      },
    });
    return startSources(this.#options, {
      policies: settings("policies"),
      meshConfig: settings("mesh-config"),
      policiesSkipped: (count) => metrics.policiesSkipped.set(count),
      certificate: certificateEvents(metrics, logger, () => {
        const certificate = this.#noteCertificate();
        if (certificate === undefined) return;
        this.#server?.useCertificate(certificate);
        logger.info({ event: "certificate-loaded", notAfter: certificate.notAfter.toISOString() });
      }),
    });
  }

  /** Why it is not ready; a change is logged when somebody asks, which the kubelet does every second. */
  #readiness(logger: Logger): string | undefined {
    const reason = this.#notReady();
    if (reason !== this.#said) {
      if (reason === undefined) logger.info({ event: "ready" });
      else logger.warn({ event: "not-ready", reason });
      this.#said = reason;
    }
    return reason;
  }

  #notReady(): string | undefined {
    if (this.#isDraining) return "on the way out";
    if (this.#sources?.policies.current() === undefined) return "the policies have not been read yet";
    if (this.#sources.meshConfig.current() === undefined) return "the mesh config has not been read yet";
    return this.#sources.certificate.notReady();
  }

  #policiesInWords(): string {
    const isRead = this.#sources?.policies.current() !== undefined;
    return isRead ? `${this.#snapshot.size} policies` : "the policies of the cluster";
  }

  /** Makes a snapshot of what the sources have; what is not there yet counts as empty, and the webhook as not ready. */
  #takePolicies(): void {
    const policies = this.#sources?.policies.current();
    const mesh = this.#sources?.meshConfig.current();
    if (policies !== undefined) this.#metrics.sourceSynced.set({ source: "policies" }, 1);
    if (mesh !== undefined) this.#metrics.sourceSynced.set({ source: "mesh-config" }, 1);
    if (policies === undefined) return;
    this.#snapshot = snapshotOf(policies.value, this.#options.rootNamespace, mesh?.value);
    this.#metrics.policies.set(this.#snapshot.size);
    this.#metrics.policyLoads.inc({ result: "loaded" });
    this.#metrics.policyLoaded.set(Date.now() / 1000);
  }

  #noteCertificate() {
    const certificate = this.#sources?.certificate.current();
    if (certificate === undefined) return undefined;
    this.#metrics.sourceSynced.set({ source: "certificate" }, 1);
    this.#metrics.certificateBegin.set(Date.parse(new X509Certificate(certificate.cert).validFrom) / 1000);
    this.#metrics.certificateExpiry.set(certificate.notAfter.getTime() / 1000);
    this.#metrics.certificateLoads.inc({ result: "loaded" });
    this.#metrics.certificateLoaded.set(Date.now() / 1000);
    return certificate;
  }
}

/** Addresses at which a server that listens on this one can be reached from its own machine. */
function ownAddresses(address: string): readonly string[] {
  if (address === "::") return ["127.0.0.1", "::1"];
  return [address === "0.0.0.0" ? "127.0.0.1" : address];
}
