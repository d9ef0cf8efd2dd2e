/**
 * What the dashboard shows: each panel's title, how it is drawn, its unit, and its queries.
 *
 * A gateway's counters die with its pod, so what was counted is its highest value over the time that is looked at, and not
 * a rate. What several scrapers see of one pod counts once: `max by (namespace, pod)`.
 */

/** How a panel is drawn; Grafana's own words. */
export type Drawing = "stat" | "timeseries" | "state-timeline" | "bargauge";

/** A query and how its series are called: `{{label}}`. */
export interface Target {
  readonly expr: string;
  readonly legend: string;
}

/** One panel. */
export interface Panel {
  readonly title: string;
  readonly meaning: string;
  readonly drawing: Drawing;
  /** Grafana's name of the unit: `s`, `short`, `ops`, `percentunit`. */
  readonly unit: string;
  /** Of 24 columns. */
  readonly width: number;
  readonly targets: readonly Target[];
}

/** A row of panels under one heading. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** The states in the numbers of the timeline. */
export const STATE_NUMBERS = ["CLOSED", "OPEN", "DRAINING", "CLOSING", "FAULT"] as const;

const GATEWAYS = 'namespace=~"$namespace", pod=~"$pod"';
const POD = "{{namespace}}/{{pod}}";
const hc = (name: string, more = "") => `gracegate_hc_${name}{${more}${more === "" ? "" : ", "}${GATEWAYS}}`;
const perPod = (expression: string) => `max by (namespace, pod) (${expression})`;

/** What each pod has counted in the time that is shown. */
const whole = (name: string, by = "") => `max by (namespace, pod${by}) (max_over_time(${hc(name)}[$__range]))`;

const stateNumber = STATE_NUMBERS.map((state, number) => `${number} * ${perPod(hc("state", `state="${state}"`))}`)
  .slice(1)
  .join(" + ");

/** Every row. */
export const ROWS: readonly Row[] = [
  {
    title: "Gateways",
    panels: [
      {
        title: "Drains now",
        meaning: "Gateways that are draining, closing or in FAULT.",
        drawing: "stat",
        unit: "short",
        width: 4,
        targets: [
          {
            expr: `sum(${perPod(hc("state", 'state=~"DRAINING|CLOSING|FAULT"'))})`,
            legend: "gateways",
          },
        ],
      },
      {
        title: "In FAULT",
        meaning: "Gateways in FAULT, by cause.",
        drawing: "stat",
        unit: "short",
        width: 4,
        targets: [
          {
            expr: `sum by (cause) (max by (namespace, pod, cause) (${hc("fault")}))`,
            legend: "{{cause}}",
          },
        ],
      },
      {
        title: "Drains by result",
        meaning:
          "In the time that is shown. Anything but `drained` wants a look: docs/metrics.md says what each means.",
        drawing: "bargauge",
        unit: "short",
        width: 8,
        targets: [
          {
            expr: `sum by (result) (${whole("drains_total", ", result")})`,
            legend: "{{result}}",
          },
        ],
      },
      {
        title: "Drain durations",
        meaning: "Of the drains in the time that is shown; percentiles are as exact as the buckets in docs/metrics.md.",
        drawing: "bargauge",
        unit: "s",
        width: 8,
        targets: [
          {
            expr: `sum(${whole("drain_duration_seconds_sum")}) / (sum(${whole("drain_duration_seconds_count")}) > 0)`,
            legend: "mean",
          },
          ...[0.5, 0.9].map((quantile) => ({
            expr: `histogram_quantile(${quantile}, sum by (le) (${whole("drain_duration_seconds_bucket", ", le")}))`,
            legend: `${quantile * 100} %`,
          })),
        ],
      },
      {
        title: "States",
        meaning: "The state of each gateway's hc.",
        drawing: "state-timeline",
        unit: "short",
        width: 12,
        targets: [{ expr: stateNumber, legend: POD }],
      },
      {
        title: "In flight while terminating",
        meaning:
          "Requests in flight at gateways whose drain has begun. A line that stays up runs into the drain timeout.",
        drawing: "timeseries",
        unit: "short",
        width: 12,
        targets: [
          {
            expr: `${perPod(hc("in_flight"))} and on (namespace, pod) ${hc("seconds_since_drain_began")}`,
            legend: POD,
          },
        ],
      },
      {
        title: "Drain against its timeout",
        meaning: "How much of its drain timeout a drain has used; above 100 % it is in FAULT.",
        drawing: "timeseries",
        unit: "percentunit",
        width: 8,
        targets: [
          {
            expr: `${perPod(hc("seconds_since_drain_began"))} / ${perPod(hc("drain_timeout_seconds"))} and on (namespace, pod) ${hc("state", 'state=~"DRAINING|FAULT"')} == 1`,
            legend: POD,
          },
        ],
      },
      {
        title: "Load balancer last seen",
        meaning: "Seconds since a load balancer asked. While OPEN it must stay below the check interval.",
        drawing: "timeseries",
        unit: "s",
        width: 8,
        targets: [{ expr: `min by (namespace, pod) (${hc("seconds_since_lb_asked")})`, legend: POD }],
      },
      {
        title: "Health answers",
        meaning: "Answers to load balancers, by status.",
        drawing: "timeseries",
        unit: "ops",
        width: 8,
        targets: [
          { expr: `sum by (code) (rate(${hc("health_answers_total")}[$__rate_interval]))`, legend: "{{code}}" },
        ],
      },
    ],
  },
  {
    title: "HAProxy before the gateways",
    panels: [
      {
        title: "5xx beside connection errors",
        meaning: "A balancer that tries again turns connection errors into 200: look at both.",
        drawing: "timeseries",
        unit: "ops",
        width: 12,
        targets: [
          {
            expr: 'sum(rate(haproxy_backend_http_responses_total{code="5xx"}[$__rate_interval]))',
            legend: "5xx",
          },
          {
            expr: "sum(rate(haproxy_server_connection_errors_total[$__rate_interval])) + sum(rate(haproxy_server_response_errors_total[$__rate_interval]))",
            legend: "connection errors",
          },
          { expr: "sum(rate(haproxy_server_retry_warnings_total[$__rate_interval]))", legend: "retries" },
        ],
      },
      {
        title: "Servers that are not UP",
        meaning: "By state; with HAProxy's own exporter.",
        drawing: "timeseries",
        unit: "short",
        width: 12,
        targets: [{ expr: 'sum by (state) (haproxy_server_status{state!="UP"})', legend: "{{state}}" }],
      },
    ],
  },
  {
    title: "Webhook",
    panels: [
      {
        title: "Pods",
        meaning: "Pods a second, by role and outcome; one pod is one, although it is called for twice.",
        drawing: "timeseries",
        unit: "ops",
        width: 8,
        targets: [
          {
            expr: "sum by (role, outcome) (rate(gracegate_webhook_pods_total[$__rate_interval]))",
            legend: "{{role}} {{outcome}}",
          },
        ],
      },
      {
        title: "Latency",
        meaning: "Time that the webhook takes for a call.",
        drawing: "timeseries",
        unit: "s",
        width: 8,
        targets: [0.5, 0.99].map((quantile) => ({
          expr: `histogram_quantile(${quantile}, sum by (le) (rate(gracegate_webhook_duration_seconds_bucket[$__rate_interval])))`,
          legend: `${quantile * 100} %`,
        })),
      },
      {
        title: "Errors and refused calls",
        meaning:
          "Errors of the webhook's own admit the pod unchanged; refused calls come from somebody else than an API server.",
        drawing: "timeseries",
        unit: "ops",
        width: 8,
        targets: [
          {
            expr: 'sum(rate(gracegate_webhook_calls_total{outcome="error"}[$__rate_interval]))',
            legend: "errors",
          },
          {
            expr: "sum by (reason) (rate(gracegate_webhook_bad_requests_total[$__rate_interval]))",
            legend: "{{reason}}",
          },
        ],
      },
      {
        title: "Notices",
        meaning: "Warnings and errors about pods in the time that is shown, by code: docs/codes.md.",
        drawing: "bargauge",
        unit: "short",
        width: 12,
        targets: [
          {
            expr: 'sum by (code) (max_over_time(gracegate_webhook_notices_total{severity!="info"}[$__range])) > 0',
            legend: "{{code}}",
          },
        ],
      },
      {
        title: "Policies",
        meaning: "Policies in force, and objects that cannot be used.",
        drawing: "timeseries",
        unit: "short",
        width: 12,
        targets: [
          { expr: "max(gracegate_policies)", legend: "in force" },
          { expr: "max(gracegate_policies_skipped)", legend: "skipped" },
        ],
      },
    ],
  },
  {
    title: "Certificates and registration",
    panels: [
      {
        title: "Time until the end",
        meaning: "Of the serving certificate, and of its authority where the webhook keeps it itself.",
        drawing: "timeseries",
        unit: "s",
        width: 12,
        targets: [
          {
            expr: "gracegate_certificate_expiry_timestamp_seconds - time()",
            legend: "certificate of {{pod}}",
          },
          {
            expr: "(gracegate_certificate_authority_expiry_timestamp_seconds > 0) - time()",
            legend: "authority of {{pod}}",
          },
        ],
      },
      {
        title: "Registered and verified",
        meaning: "1: the webhook configurations are there, and a call to itself verifies (source self).",
        drawing: "stat",
        unit: "short",
        width: 12,
        targets: [
          {
            expr: "min by (configuration) (gracegate_webhook_configuration_present)",
            legend: "{{configuration}}",
          },
          { expr: "min(gracegate_certificate_verified)", legend: "verified" },
        ],
      },
    ],
  },
];
