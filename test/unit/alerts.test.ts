/**
 * The alerts and the dashboard, as far as that needs no Prometheus: each alert can be acted on and is tested, each metric
 * is one that there is.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { bucketsTable, hcMetricsTable, webhookMetricsTable } from "../../scripts/generated-metrics.ts";

const FOLDER = "charts/gracegate/files/rules";
const SEVERITIES = ["critical", "warning", "info"];

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
  }[];
}

const files = readdirSync(FOLDER);
const alertsIn = (file: string) =>
  (parse(readFileSync(`${FOLDER}/${file}`, "utf8")) as { groups: { rules: Alert[] }[] }).groups.flatMap(
    ({ rules }) => rules,
  );
const runbook = readFileSync("docs/runbook.md", "utf8");
const anchors = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
  title?.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
);

for (const file of files) {
  describe(`alerts of ${file}`, () => {
    const tested = (parse(readFileSync(`test/rules/${file}`, "utf8")) as RuleTests).tests.flatMap(
      ({ alert_rule_test }) => alert_rule_test,
    );
    for (const { alert, expr, labels, annotations } of alertsIn(file)) {
      it(`${alert} has a severity, a sentence, a section in the runbook, and tests that fire and that do not`, () => {
        assert.ok(SEVERITIES.includes(labels.severity ?? ""));
        assert.match(annotations.summary ?? "", /\.$/);
        if (/by \(namespace, pod/.test(expr)) assert.match(annotations.summary ?? "", /\$labels\.pod/);
        assert.equal(annotations.runbook, `docs/runbook.md#${alert.toLowerCase()}`);
        assert.ok(anchors.includes(alert.toLowerCase()), "docs/runbook.md has no section of that name");
        const own = tested.filter(({ alertname }) => alertname === alert);
        assert.ok(own.some(({ exp_alerts }) => exp_alerts.length > 0));
        assert.ok(own.some(({ exp_alerts }) => exp_alerts.length === 0));
      });
    }
  });
}

it("the runbook has no section of an alert that there is not", () => {
  const names = files.flatMap((file) => alertsIn(file).map(({ alert }) => alert.toLowerCase()));
  const sections = [...runbook.matchAll(/^### (.+)$/gm)].map(([, title]) => title?.toLowerCase());
  assert.deepEqual(sections.sort(), names.sort());
});

it("alerts and dashboard ask for no metric of ours that there is not", async () => {
  const known = new Set(
    [await webhookMetricsTable(), hcMetricsTable(), await bucketsTable()].flatMap(({ rows }) =>
      rows.map(([name]) => name?.replaceAll("`", "") ?? ""),
    ),
  );
  const text = [...files.map((file) => `${FOLDER}/${file}`), "charts/gracegate/files/dashboard.json"].map((path) =>
    readFileSync(path, "utf8"),
  );
  const asked = text.join("\n").match(/\bgracegate_(?:hc|webhook|policies|policy|source|certificate|ca)[a-z_]*/g) ?? [];
  const unknown = asked.filter((name) => !known.has(name) && !known.has(name.replace(/_(bucket|sum|count)$/, "")));
  assert.deepEqual(unknown, []);
});
