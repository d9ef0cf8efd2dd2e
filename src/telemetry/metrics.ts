/**
 * The webhook's metrics. Every series exists from the start, so that a rate over it is right from the first event on.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { codes } from "../codes/registry.ts";
import { Outages } from "./outages.ts";

/** The webhook's metrics, and the registry that shows them. */
export interface WebhookMetrics {
  readonly registry: Registry;
  readonly calls: Counter<"outcome" | "role">;
  readonly pods: Counter<"outcome" | "role">;
  readonly reviews: Counter<"outcome">;
  readonly duration: Histogram;
  readonly inFlight: Gauge;
  readonly badRequests: Counter<"reason">;
  readonly shed: Counter<"what">;
  readonly notices: Counter<"code" | "severity">;
  readonly policies: Gauge;
  readonly policiesSkipped: Gauge;
  readonly sourceSynced: Gauge<"source">;
  /** Counts that a source could not be reached. */
  sourceFailed(source: (typeof SOURCES)[number]): void;
  readonly policyLoads: Counter<"result">;
  readonly policyLoaded: Gauge;
  readonly certificateBegin: Gauge;
  readonly certificateExpiry: Gauge;
  readonly certificateLoads: Counter<"result">;
  readonly certificateLoaded: Gauge;
  readonly certificateSteps: Counter<"step">;
  readonly certificateVerified: Gauge;
  readonly authorityBegin: Gauge;
  readonly authorityExpiry: Gauge;
  readonly configurationPresent: Gauge<"configuration">;
  readonly bundlesPublished: Counter<"configuration">;
}

/** Why a call is refused before it is an admission. */
export const BAD_REQUESTS = ["not-a-review", "too-large", "content-type", "aborted", "other"] as const;

/** What is given up when memory for it is full. */
export const SHED = ["body", "connection"] as const;

/** Where the webhook's settings come from. */
export const SOURCES = ["policies", "mesh-config", "certificate"] as const;

const STEPS = ["begin", "restore", "issue", "announce", "switch", "forget"];

const OUTCOMES = ["patched", "unchanged", "skipped", "denied", "error"];
const ROLES = ["gateway", "sidecar", "none"];

/** From a quarter of a millisecond up: an admission takes less than one. */
const DURATION_BUCKETS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/**
 * Registers the webhook's metrics.
 *
 * @param isReady asked whenever somebody reads them
 */
export function webhookMetrics(isReady: () => boolean): WebhookMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const outages = new Outages();
  const sourceErrors = new Counter({
    name: "gracegate_source_errors_total",
    help: "Times that a source could not be reached; what is in memory goes on.",
    labelNames: ["source"],
    registers,
  });
  new Gauge({
    name: "gracegate_source_unreachable_seconds",
    help: "How long a source has been out of reach: from the first error to the last one; 0 after two minutes without any.",
    labelNames: ["source"],
    registers,
    collect() {
      for (const source of SOURCES) this.set({ source }, outages.seconds(source));
    },
  });
  new Gauge({
    name: "gracegate_webhook_ready",
    help: "Whether the replica is ready, as /readyz says: 0 or 1. The API server's calls go to those that are.",
    collect() {
      this.set(isReady() ? 1 : 0);
    },
    registers,
  });
  const metrics: WebhookMetrics = {
    registry,
    calls: new Counter({
      name: "gracegate_webhook_calls_total",
      help: "Admission calls by outcome and role. The API server calls twice for nearly every pod.",
      labelNames: ["outcome", "role"],
      registers,
    }),
    pods: new Counter({
      name: "gracegate_webhook_pods_total",
      help: "Pods by outcome and role of their first call: one pod is one, however often it is called for; no dry runs.",
      labelNames: ["outcome", "role"],
      registers,
    }),
    reviews: new Counter({
      name: "gracegate_webhook_reviews_total",
      help: "Workloads and policies that people applied, by outcome: warned, silent, refused (policies only), or error of the webhook's own.",
      labelNames: ["outcome"],
      registers,
    }),
    duration: new Histogram({
      name: "gracegate_webhook_duration_seconds",
      help: "Time from the whole body being read to the answer being written, in seconds.",
      buckets: DURATION_BUCKETS,
      registers,
    }),
    inFlight: new Gauge({ name: "gracegate_webhook_in_flight", help: "Calls that are being answered.", registers }),
    badRequests: new Counter({
      name: "gracegate_webhook_bad_requests_total",
      help: "Calls that were answered with a 4xx status, by reason.",
      labelNames: ["reason"],
      registers,
    }),
    shed: new Counter({
      name: "gracegate_webhook_shed_total",
      help: "Bodies that were answered with 503, and idle connections that were closed, since there were too many at once.",
      labelNames: ["what"],
      registers,
    }),
    notices: new Counter({
      name: "gracegate_webhook_notices_total",
      help: "Notices by code and severity; docs/codes.md explains them.",
      labelNames: ["code", "severity"],
      registers,
    }),
    policies: new Gauge({ name: "gracegate_policies", help: "Policies in force.", registers }),
    policiesSkipped: new Gauge({
      name: "gracegate_policies_skipped",
      help: "GracePolicy objects in the cluster that cannot be used; the log names them (GG602).",
      registers,
    }),
    sourceSynced: new Gauge({
      name: "gracegate_source_synced",
      help: "Whether a source has been read at least once: 0 or 1. The webhook is not ready before all of them were.",
      labelNames: ["source"],
      registers,
    }),
    sourceFailed: (source) => {
      sourceErrors.inc({ source });
      outages.failed(source);
    },
    policyLoads: new Counter({
      name: "gracegate_policy_loads_total",
      help: "Times that policies were read, by result: loaded, or refused with the last good set kept.",
      labelNames: ["result"],
      registers,
    }),
    policyLoaded: new Gauge({
      name: "gracegate_policy_last_load_timestamp_seconds",
      help: "When the policies in force were read, in seconds since 1970.",
      registers,
    }),
    certificateBegin: new Gauge({
      name: "gracegate_certificate_not_before_timestamp_seconds",
      help: "When the serving certificate began, in seconds since 1970: with its end, how long it lives.",
      registers,
    }),
    certificateExpiry: new Gauge({
      name: "gracegate_certificate_expiry_timestamp_seconds",
      help: "When the serving certificate ends, in seconds since 1970.",
      registers,
    }),
    certificateLoads: new Counter({
      name: "gracegate_certificate_loads_total",
      help: "Times that the serving certificate was read, by result: loaded, or refused with the last good one kept.",
      labelNames: ["result"],
      registers,
    }),
    certificateLoaded: new Gauge({
      name: "gracegate_certificate_last_load_timestamp_seconds",
      help: "When the serving certificate in use was read, in seconds since 1970.",
      registers,
    }),
    certificateSteps: new Counter({
      name: "gracegate_certificate_steps_total",
      help: "Steps that this replica took with the certificates that it keeps itself; docs/cluster.md explains them.",
      labelNames: ["step"],
      registers,
    }),
    certificateVerified: new Gauge({
      name: "gracegate_certificate_verified",
      help: "Whether the last call to itself verified with every published caBundle: 0 or 1. Stays 0 for certificates from files.",
      registers,
    }),
    authorityBegin: new Gauge({
      name: "gracegate_certificate_authority_not_before_timestamp_seconds",
      help: "When that authority began, in seconds since 1970; 0 for certificates from files.",
      registers,
    }),
    authorityExpiry: new Gauge({
      name: "gracegate_certificate_authority_expiry_timestamp_seconds",
      help: "When the authority of the serving certificate ends, in seconds since 1970; 0 for certificates from files.",
      registers,
    }),
    configurationPresent: new Gauge({
      name: "gracegate_webhook_configuration_present",
      help: "Whether a webhook configuration that this replica keeps the caBundle of is there: 0 or 1.",
      labelNames: ["configuration"],
      registers,
    }),
    bundlesPublished: new Counter({
      name: "gracegate_ca_bundles_published_total",
      help: "Times that this replica wrote a caBundle into a webhook configuration.",
      labelNames: ["configuration"],
      registers,
    }),
  };
  for (const outcome of OUTCOMES) {
    for (const role of ROLES) {
      metrics.calls.inc({ outcome, role }, 0);
      metrics.pods.inc({ outcome, role }, 0);
    }
  }
  for (const outcome of ["warned", "silent", "refused", "error"]) metrics.reviews.inc({ outcome }, 0);
  for (const reason of BAD_REQUESTS) metrics.badRequests.inc({ reason }, 0);
  for (const what of SHED) metrics.shed.inc({ what }, 0);
  for (const step of STEPS) metrics.certificateSteps.inc({ step }, 0);
  for (const source of SOURCES) {
    metrics.sourceSynced.set({ source }, 0);
    sourceErrors.inc({ source }, 0);
  }
  for (const [code, { severity }] of Object.entries(codes)) metrics.notices.inc({ code, severity }, 0);
  for (const result of ["loaded", "refused"]) {
    metrics.policyLoads.inc({ result }, 0);
    metrics.certificateLoads.inc({ result }, 0);
  }
  return metrics;
}
