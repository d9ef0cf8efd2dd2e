/**
 * All files, and parts of files, that are made from the code. `make generate` writes them; a test says which is stale.
 */
import { readFileSync } from "node:fs";
import { stringify } from "yaml";
import { profiles } from "../src/budget/profiles.ts";
import { codes } from "../src/codes/registry.ts";
import { builtIn } from "../src/policy/built-in.ts";
import { gracePolicyCrd } from "../src/policy/crd.ts";
import { overrides } from "../src/policy/overrides.ts";
import { LB_PROFILES, policySpec } from "../src/policy/schema.ts";
import type { JsonSchema, Schema } from "../src/policy/schema-builder.ts";
import { webhookMetrics } from "../src/telemetry/metrics.ts";
import { chartValues, valuesSchema } from "./chart-values.ts";
import {
  answersTable,
  environmentTable,
  hcMetricsTable,
  type Table,
  transitionsTable,
  wishesTable,
} from "./generated-hc.ts";

/** One generated file: its path, and its text as it should be. */
export interface Generated {
  readonly path: string;
  text(): Promise<string> | string;
}

const HEAD = "# Made by `make generate` from src/policy/schema.ts. Do not edit.\n";

/** All of them. */
export const generated: readonly Generated[] = [
  {
    path: "charts/gracegate/crds/gracepolicies.yaml",
    text: () => HEAD + stringify(gracePolicyCrd(), { lineWidth: 0, aliasDuplicateObjects: false }),
  },
  {
    path: "charts/gracegate/values.schema.json",
    text: () => `${JSON.stringify(valuesSchema(), null, 2)}\n`,
  },
  { path: "charts/gracegate/README.md", text: () => between("charts/gracegate/README.md", "values", valuesTable()) },
  { path: "docs/policy.md", text: () => between("docs/policy.md", "fields", policyTable()) },
  { path: "docs/overrides.md", text: () => between("docs/overrides.md", "overrides", overrideTable()) },
  { path: "docs/codes.md", text: () => between("docs/codes.md", "codes", codeSections()) },
  { path: "docs/lb-profiles.md", text: () => between("docs/lb-profiles.md", "profiles", profileTable()) },
  { path: "docs/hc.md", text: hcPage },
  { path: "docs/webhook.md", text: async () => between("docs/webhook.md", "metrics", await metricsTable()) },
];

function hcPage(): string {
  const parts: Readonly<Record<string, Table>> = {
    answers: answersTable(),
    transitions: transitionsTable(),
    environment: environmentTable(),
    wishes: wishesTable(),
    metrics: hcMetricsTable(),
  };
  return Object.entries(parts).reduce(
    (text, [name, { head, rows }]) => between("docs/hc.md", name, table(head, rows), text),
    readFileSync("docs/hc.md", "utf8"),
  );
}

/** A page with the part between two comments replaced. */
function between(path: string, name: string, part: string, text = readFileSync(path, "utf8")): string {
  const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`${path} has no part ${start} … ${end}`);
  return `${text.slice(0, from + start.length)}\n${part.trim()}\n${text.slice(to)}`;
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(...head), row(...head.map(() => "---")), ...rows.map((cells) => row(...cells))].join("\n");
}

function valuesTable(): string {
  return table(
    ["value", "default", "meaning"],
    chartValues().map(({ path, value, meaning }) => [`\`${path}\``, `\`${JSON.stringify(value)}\``, meaning]),
  );
}

function policyTable(): string {
  const rows: string[][] = [];
  const visit = (schema: Schema<unknown>, path: string) => {
    for (const [name, field] of Object.entries(schema.fields ?? {})) {
      const at = path === "" ? name : `${path}.${name}`;
      rows.push([`\`${at}\``, kindOf(field), defaultOf(at), field.json.description ?? ""]);
      if (field.kind === "object") visit(field, at);
      if (field.kind === "list" && field.element?.kind === "object") visit(field.element, `${at}[]`);
    }
  };
  visit(policySpec, "");
  return table(["field of `spec`", "type", "built-in", "meaning"], rows);
}

function kindOf({ kind, json }: Schema<unknown>): string {
  if (kind === "choice") return (json.enum ?? []).map((word) => `\`${word}\``).join(", ");
  if (kind === "number") return `number ${json.minimum}–${json.maximum}`;
  if (kind === "map")
    return `map to ${typeof json.additionalProperties === "object" ? typeOf(json.additionalProperties) : "any"}`;
  if (kind === "list") return `list of ${typeOf(json.items ?? {})}`;
  return kind === "free" ? "object" : kind;
}

function typeOf(schema: JsonSchema): string {
  return schema["x-kubernetes-int-or-string"] ? "quantity" : schema.type === "string" ? "text" : (schema.type ?? "any");
}

function defaultOf(path: string): string {
  const value = path
    .split(".")
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], builtIn);
  if (value === undefined || (typeof value === "object" && !Array.isArray(value) && !path.endsWith("resources")))
    return "";
  return `\`${typeof value === "number" && /p99|margin|grace|interval|timeout|sleep/i.test(path) ? `${value}s` : JSON.stringify(value).replaceAll('"', "")}\``;
}

function overrideTable(): string {
  return table(
    ["annotation", "value", "for", "setting", "meaning"],
    overrides.map(({ name, type, roles, setting, doc }) => [
      `\`gracegate.dev/${name}\``,
      type,
      roles.join(", "),
      setting === "" ? "" : `\`${setting}\``,
      doc,
    ]),
  );
}

function codeSections(): string {
  return Object.entries(codes)
    .map(([name, { severity, meaning, remedy }]) => `### ${name}\n*${severity}.* ${meaning}\n\nWhat to do: ${remedy}`)
    .join("\n\n");
}

function profileTable(): string {
  const answer = (of: { status: number; body?: string } | undefined) =>
    of === undefined ? "none: 200" : `${of.status}${of.body === undefined ? "" : ` + \`${of.body.trim()}\``}`;
  return table(
    [
      "profile",
      "for",
      "drain answer",
      "close answer",
      "kills sessions on DOWN",
      "detection of the drain answer",
      "interval × fall",
    ],
    LB_PROFILES.map((name) => {
      const { doc, drainAnswer, closeAnswer, killsSessions, detection, checkInterval, checkFall } = profiles[name];
      return [
        `\`${name}\``,
        doc,
        answer(drainAnswer),
        answer(closeAnswer),
        killsSessions,
        detection ?? "–",
        `${checkInterval} s × ${checkFall}`,
      ];
    }),
  );
}

async function metricsTable(): Promise<string> {
  const metrics = (await webhookMetrics().registry.getMetricsAsJSON()).filter(({ name }) =>
    name.startsWith("gracegate_"),
  );
  return table(
    ["metric", "type", "meaning"],
    metrics.map(({ name, type, help }) => [`\`${name}\``, String(type), help]),
  );
}
