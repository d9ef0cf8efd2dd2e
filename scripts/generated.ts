/**
 * All files, and parts of files, that are made from the code. `make generate` writes them; a test says which is stale.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { evidence, type Run } from "../lab/evidence.ts";
import { killsSessions } from "../src/balancers/on-down.ts";
import { LB_PROFILES, profiles } from "../src/balancers/profiles.ts";
import { rules } from "../src/check/rules.ts";
import { codes } from "../src/codes/registry.ts";
import { type JsonValue, valueAt } from "../src/pod/json.ts";
import { gracePolicyCrd } from "../src/policy/crd.ts";
import { overrides } from "../src/policy/overrides.ts";
import { policySpec } from "../src/policy/schema.ts";
import type { JsonSchema, Schema } from "../src/policy/schema-builder.ts";
import { chartValues, valuesSchema } from "./chart-values.ts";
import { dashboard } from "./dashboard.ts";
import { answersTable, environmentTable, type Table, transitionsTable, wishesTable } from "./generated-hc.ts";
import { bucketsTable, hcMetricsTable, resultsTable, webhookMetricsTable } from "./generated-metrics.ts";

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
  { path: "charts/gracegate/files/dashboard.json", text: () => `${JSON.stringify(dashboard(), null, 2)}\n` },
  { path: "charts/gracegate/README.md", text: () => between("charts/gracegate/README.md", "values", valuesTable()) },
  {
    path: "docs/evidence.md",
    text() {
      const read = (path: string): Run => JSON.parse(readFileSync(path, "utf8"));
      return evidence(read("docs/evidence/run.json"), globSync("docs/evidence/fault-*.json").sort().map(read));
    },
  },
  { path: "docs/policy.md", text: () => between("docs/policy.md", "fields", policyTable()) },
  { path: "docs/overrides.md", text: () => between("docs/overrides.md", "overrides", overrideTable()) },
  { path: "docs/codes.md", text: () => between("docs/codes.md", "codes", codeSections()) },
  {
    path: "docs/check.md",
    text: () =>
      filled("docs/check.md", {
        rules: ruleSections(),
        session: session("check", "-f", "examples/check/gateway.yaml", "--policy", "examples/policies"),
      }),
  },
  {
    path: "docs/inject.md",
    text: () =>
      filled("docs/inject.md", {
        session: session("inject", "-f", "examples/pods/sidecar.yaml", "--policy", "examples/policies", "--diff"),
      }),
  },
  {
    path: "docs/plan.md",
    text: () =>
      filled("docs/plan.md", {
        session: session("plan", "--p99", "30s", "--lb", "haproxy", "--interval", "2s", "--fall", "2"),
        haproxy: session("plan", "--p99", "30s", "--haproxy-config", "examples/haproxy/haproxy.cfg"),
      }),
  },
  {
    path: "docs/explain.md",
    text: () =>
      filled("docs/explain.md", {
        session: session(
          "explain",
          "-f",
          "examples/pods/gateway.yaml",
          "--policy",
          "examples/policies",
          "--before-after",
        ),
      }),
  },
  { path: "docs/explain.svg", text: () => picture("examples/pods/gateway.yaml") },
  { path: "docs/lb-profiles.md", text: () => between("docs/lb-profiles.md", "profiles", profileTable()) },
  { path: "docs/hc.md", text: hcPage },
  { path: "docs/metrics.md", text: metricsPage },
];

function hcPage(): string {
  const parts: Readonly<Record<string, Table>> = {
    answers: answersTable(),
    transitions: transitionsTable(),
    environment: environmentTable(),
    wishes: wishesTable(),
  };
  return withTables("docs/hc.md", parts);
}

async function metricsPage(): Promise<string> {
  return withTables("docs/metrics.md", {
    webhook: await webhookMetricsTable(),
    hc: hcMetricsTable(),
    buckets: await bucketsTable(),
    results: resultsTable(),
  });
}

function withTables(path: string, tables: Readonly<Record<string, Table>>): string {
  const parts = Object.entries(tables).map(([name, { head, rows }]) => [name, table(head, rows)]);
  return filled(path, Object.fromEntries(parts));
}

/** A page with several parts replaced. */
function filled(path: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce(
    (text, [name, part]) => between(path, name, part, text),
    readFileSync(path, "utf8"),
  );
}

/** What a command prints, as a session: stderr after stdout, as both come out in a pipe. */
function session(...args: readonly string[]): string {
  const { stdout, stderr, status } = gracegate(args);
  const exit = status === 0 ? "" : `exit ${status}\n`;
  return `\`\`\`\n$ gracegate ${args.join(" ")}\n${stdout.trimEnd()}\n${stderr}${exit}\`\`\``;
}

function picture(file: string): string {
  const folder = mkdtempSync(join(tmpdir(), "gracegate-docs-"));
  try {
    const svg = join(folder, "picture.svg");
    gracegate(["explain", "-f", file, "--policy", "examples/policies", "--before-after", "--svg", svg]);
    return readFileSync(svg, "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function gracegate(args: readonly string[]) {
  return spawnSync(process.execPath, ["src/main.ts", ...args], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
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
  const visit = (schema: Schema<unknown>, path: string, above: JsonValue | undefined) => {
    for (const [name, field] of Object.entries(schema.fields ?? {})) {
      const at = path === "" ? name : `${path}.${name}`;
      const builtIn = field.builtIn ?? valueAt(above, name);
      const shown = field.kind === "object" ? field.builtIn : builtIn;
      rows.push([`\`${at}\``, kindOf(field), builtInText(shown), field.json.description ?? ""]);
      if (field.kind === "object") visit(field, at, builtIn);
      if (field.kind === "list" && field.element?.kind === "object") visit(field.element, `${at}[]`, undefined);
    }
  };
  visit(policySpec, "", undefined);
  return table(["field of `spec`", "type", "built-in", "meaning"], rows);
}

function kindOf({ kind, json }: Schema<unknown>): string {
  if (kind === "choice") return (json.enum ?? []).map((word) => `\`${word}\``).join(", ");
  if (kind === "number") return `number ${json.minimum}–${json.maximum}`;
  if (kind === "map")
    return `map to ${typeof json.additionalProperties === "object" ? typeOf(json.additionalProperties) : "any"}`;
  if (kind === "list") return `list of ${typeOf(json.items ?? {})}`;
  return kind;
}

function typeOf(schema: JsonSchema): string {
  return schema["x-kubernetes-int-or-string"] ? "quantity" : schema.type === "string" ? "text" : (schema.type ?? "any");
}

function builtInText(value: JsonValue | undefined): string {
  return value === undefined ? "" : `\`${JSON.stringify(value).replaceAll('"', "")}\``;
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

function ruleSections(): string {
  const list = rules.map(({ id, severity, title }) => [`[\`${id}\`](#${id})`, severity, title]);
  const example = (name: string, text: string) => `${name}\n\n\`\`\`yaml\n${text}\`\`\``;
  const sections = rules.map(({ id, severity, title, reason, fix, examples }) =>
    [
      `### ${id}`,
      `*${severity}.* ${title}`,
      reason,
      `What to do: ${fix}.`,
      `<details><summary>Examples</summary>`,
      ...examples.bad.slice(0, 1).map((text) => example("Bad:", text)),
      ...examples.good.slice(0, 1).map((text) => example("Good:", text)),
      "</details>",
    ].join("\n\n"),
  );
  return [table(["rule", "severity", "what it finds"], list), ...sections].join("\n\n");
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
      const { doc, drainAnswer, closeAnswer, onDown, detection, checkInterval, checkFall } = profiles[name];
      return [
        `\`${name}\``,
        doc,
        answer(drainAnswer),
        answer(closeAnswer),
        killsSessions(onDown),
        detection ?? "–",
        `${checkInterval} s × ${checkFall}`,
      ];
    }),
  );
}
