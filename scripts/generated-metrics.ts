/**
 * The tables of docs/metrics.md, made from the metrics as both processes register them: name, type, labels with their
 * values where these are few, unit, meaning, and the buckets of histograms.
 */
import { DRAIN_BUCKETS, Measures } from "../src/hc/measures.ts";
import { DRAIN_RESULTS } from "../src/hc/states.ts";
import { webhookMetrics } from "../src/telemetry/metrics.ts";
import type { Table } from "./generated-hc.ts";

/** Label values that are shown in the table; of more only the label's name. */
const MOST_VALUES = 7;

const HEAD = ["metric", "type", "labels", "unit", "meaning"] as const;

/** Units that a name does not end with. */
const UNITS: Readonly<Record<string, string>> = {
  gracegate_webhook_in_flight: "calls",
  gracegate_policies: "policies",
  gracegate_policies_skipped: "policies",
  gracegate_webhook_ready: "0 or 1",
  gracegate_source_synced: "0 or 1",
  gracegate_certificate_verified: "0 or 1",
  gracegate_webhook_configuration_present: "0 or 1",
  gracegate_hc_state: "0 or 1",
  gracegate_hc_fault: "0 or 1",
  gracegate_hc_in_flight: "requests",
  gracegate_hc_stats_visible: "0 or 1",
  gracegate_hc_seconds_since_lb_asked: "seconds",
  gracegate_hc_seconds_since_drain_began: "seconds",
  gracegate_hc_held_requests: "requests",
};

interface Registered {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** In their order, with the values that exist from the start. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The webhook's metrics, without those of the process itself. */
export async function webhookMetricsTable(): Promise<Table> {
  const { registry } = webhookMetrics(() => false);
  const labelNames = new Map(
    registry.getMetricsAsArray().map((metric) => {
      const { name, labelNames = [] } = metric as unknown as { name: string; labelNames?: readonly string[] };
      return [name, labelNames];
    }),
  );
  const metrics = (await registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith("gracegate_"));
  return tableOf(
    metrics.map(({ name, type, help, values }) => ({
      name,
      type: String(type),
      help,
      labels: labelsOf(
        values.map(({ labels }) => labels as Readonly<Record<string, string>>),
        labelNames.get(name) ?? [],
      ),
    })),
  );
}

/** hc's metrics. */
export function hcMetricsTable(): Table {
  const moment = {
    state: "OPEN",
    fault: undefined,
    inFlight: 0,
    statsVisible: true,
    secondsSinceDrainBegan: 0,
    drainTimeoutSeconds: 0,
    secondsSinceAsked: 0,
    heldRequests: 0,
  } as const;
  return tableOf(
    new Measures([200, 404, 503]).families(moment).map(({ name, type, help, samples }) => {
      const labels = samples.map((sample) => sample.labels ?? {});
      return { name, type, help, labels: labelsOf(labels, [...new Set(labels.flatMap(Object.keys))]) };
    }),
  );
}

/** The buckets of both histograms, in seconds. */
export async function bucketsTable(): Promise<Table> {
  const metrics = await webhookMetrics(() => false).registry.getMetricsAsJSON();
  const duration = metrics.find(({ name }) => name === "gracegate_webhook_duration_seconds");
  const bounds = (duration?.values ?? []).flatMap(({ labels }) => {
    const bound = (labels as { le?: string | number }).le;
    return bound === undefined || bound === "+Inf" ? [] : [Number(bound)];
  });
  const row = (name: string, list: readonly number[]) => [`\`${name}\``, list.join(", ")];
  return {
    head: ["histogram", "buckets, seconds"],
    rows: [
      row("gracegate_webhook_duration_seconds", bounds),
      row("gracegate_hc_drain_duration_seconds", DRAIN_BUCKETS),
    ],
  };
}

/** What each result of a drain means. */
export function resultsTable(): Table {
  const meaning: Readonly<Record<(typeof DRAIN_RESULTS)[number], string>> = {
    drained: "nothing was in flight and nothing new came: as it should be",
    busy: "the drain timeout passed with nothing in flight, but requests kept trickling in",
    blind: "the stats are hidden, so the whole drain timeout was waited for",
    timeout: "the drain timeout passed with requests in flight",
    closed: "an operator ended it, or the proxy was gone",
    reopened: "it was taken back",
  };
  return { head: ["result", "meaning"], rows: DRAIN_RESULTS.map((result) => [`\`${result}\``, meaning[result]]) };
}

function tableOf(metrics: readonly Registered[]): Table {
  return {
    head: HEAD,
    rows: metrics.map(({ name, type, help, labels }) => [
      `\`${name}\``,
      type,
      [...labels].map(([label, values]) => labelIn(label, values)).join("; "),
      unitOf(name),
      help,
    ]),
  };
}

function labelIn(label: string, values: ReadonlySet<string>): string {
  if (values.size === 0 || values.size > MOST_VALUES) return `\`${label}\``;
  return `\`${label}\`: ${[...values].join(", ")}`;
}

function labelsOf(
  samples: readonly Readonly<Record<string, string>>[],
  names: readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const own = names.filter((name) => name !== "le");
  const valuesOf = (name: string) => samples.flatMap((labels) => labels[name] ?? []);
  return new Map(own.map((name) => [name, new Set(valuesOf(name))]));
}

function unitOf(name: string): string {
  if (name.endsWith("_timestamp_seconds")) return "seconds since 1970";
  if (name.endsWith("_seconds")) return "seconds";
  if (name.endsWith("_total")) return "count";
  const unit = UNITS[name];
  if (unit === undefined) throw new Error(`scripts/generated-metrics.ts does not know the unit of ${name}`);
  return unit;
}
