import { objectAt, objectsAt, textAt } from "../../pod/json.ts";
import { itemsOf } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const rule = (...alerts: readonly (readonly [string, string])[]) =>
  [
    "apiVersion: monitoring.coreos.com/v1",
    "kind: PrometheusRule",
    "metadata: { name: gateways, namespace: edge }",
    "spec:",
    "  groups:",
    "    - name: gateways",
    "      rules:",
    ...alerts.flatMap(([alert, expression]) => [`        - alert: ${alert}`, `          expr: ${expression}`]),
    "",
  ].join("\n");

const METRIC = /\b(?:gracegate|kube)_\w+\b/g;

/** What makes an alert one about termination; a cluster has many others on kube-state-metrics. */
const TERMINATION = /\b(?:gracegate_\w+|kube_pod_deletion_timestamp)\b/;

/**
 * Who exposes a metric: hc, the webhook, or kube-state-metrics. One absent() an exporter is enough, and some metrics are
 * rightly absent most of the time: kube_pod_deletion_timestamp while no pod is terminating.
 */
const exporterOf = (metric: string) => /^(?:gracegate_hc_|gracegate_|kube_)/.exec(metric)?.[0] ?? metric;

/** The exporters that an expression with absent() watches: by a metric of theirs, or by the `up` of their job. */
function watchedBy(expression: string): readonly string[] {
  if (!/\babsent(?:_over_time)?\s*\(/.test(expression)) return [];
  const jobs = [...expression.matchAll(/\bup\s*\{[^}]*\bjob\s*=~?\s*["']([^"']*)["']/g)].map(([, job]) => job ?? "");
  return [
    ...(expression.match(METRIC) ?? []).map(exporterOf),
    ...jobs.flatMap((job) => [
      ...(/kube-?state-?metrics/.test(job) ? ["kube_"] : []),
      // hc and the webhook may be one job or two; the name does not tell.
      ...(/gracegate|\bhc\b/.test(job) ? ["gracegate_hc_", "gracegate_"] : []),
    ]),
  ];
}

/** An alert that is silent when its metric is gone. */
export const alertWithoutAbsent: Rule = {
  id: "alert-without-absent",
  severity: "warning",
  title: "An alert about termination, on Gracegate's or kube-state-metrics' metrics, has no absent() companion.",
  reason:
    "An alert on a metric that nobody scrapes never fires: without kube-state-metrics, or with hc's port closed to Prometheus, all is quiet while requests die.",
  fix: "add an alert with absent(METRIC), or absent(up{job=…} == 1), beside it",
  examples: {
    bad: [
      rule(["DrainTimeout", 'gracegate_hc_state{state="FAULT"} == 1']),
      rule(["Terminating", "time() - kube_pod_deletion_timestamp > 600"]),
      rule(
        ["Terminating", "time() - kube_pod_deletion_timestamp > 600"],
        ["Gone", 'absent(up{job="node-exporter"} == 1)'],
      ),
    ],
    good: [
      rule(["DrainTimeout", 'gracegate_hc_state{state="FAULT"} == 1'], ["HcUnseen", "absent(gracegate_hc_state)"]),
      rule(
        ["DrainTimeout", "time() - kube_pod_deletion_timestamp > 60 and gracegate_hc_in_flight > 0"],
        ["Unseen", "absent(kube_pod_info) or absent(gracegate_hc_state)"],
      ),
      rule(
        ["Terminating", "time() - kube_pod_deletion_timestamp > 600"],
        ["KubeStateMetricsDown", 'absent(up{job="kube-state-metrics"} == 1)'],
      ),
      rule(["CrashLoop", "increase(kube_pod_container_status_restarts_total[10m]) > 3"]),
      rule(["Cpu", "rate(process_cpu_seconds_total[5m]) > 1"]),
    ],
  },
  *check(inventory): Iterable<Finding> {
    const all = itemsOf(inventory, "PrometheusRule").flatMap((item) =>
      objectsAt(objectAt(item.object, "spec"), "groups").flatMap((group, at) =>
        objectsAt(group, "rules").map((one, index) => ({
          item,
          at: ["spec", "groups", at, "rules", index],
          alert: textAt(one, "alert"),
          expression: textAt(one, "expr") ?? "",
        })),
      ),
    );
    const watched = new Set(all.flatMap(({ expression }) => watchedBy(expression)));
    for (const { item, at, alert, expression } of all) {
      const metrics = [...new Set(expression.match(METRIC) ?? [])].filter((metric) => !watched.has(exporterOf(metric)));
      if (alert === undefined || metrics.length === 0 || /\babsent/.test(expression) || !TERMINATION.test(expression)) {
        continue;
      }
      yield { item, at, message: `${alert} is silent while ${metrics.join(", ")} is not scraped.` };
    }
  },
};
