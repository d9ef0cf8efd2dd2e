/**
 * docs/security.md says of every setting what it can do to others: a new one must not get in without a word.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { DELEGABLE, policySpec } from "../../src/policy/schema.ts";
import type { Schema } from "../../src/policy/schema-builder.ts";

/** Settings whose parts are told one by one. */
const SECTIONS = ["gateway", "sidecar", "loadBalancer", "hc"];

function settingsOf(schema: Schema<unknown>, path: readonly string[] = []): readonly string[] {
  return Object.entries(schema.fields ?? {}).flatMap(([name, field]) =>
    SECTIONS.includes(name)
      ? settingsOf(field, name === "hc" || name === "loadBalancer" ? [name] : [])
      : [[...path, name].join(".")],
  );
}

const page = readFileSync("docs/security.md", "utf8");
const settings = [...new Set(settingsOf(policySpec))].filter((name) => name !== "delegate");

it("docs/security.md has every setting of a policy in one of its tables", () => {
  assert.ok(settings.includes("hc.port") && settings.includes("drainTimeout") && settings.includes("selector"));
  const told = page.split("\n").filter((line) => line.startsWith("| `"));
  const missing = settings.filter((name) => !told.some((line) => line.split("|")[1]?.includes(`\`${name}\``)));
  assert.deepEqual(missing, []);
});

it("docs/security.md has those that can be delegated, and no other, in the table about them", () => {
  const [, table = ""] = page.split("## Delegated");
  const rows = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| `(hc\.[^`]+)`/gm)].map(([, name]) => name);
  assert.deepEqual(rows, [...DELEGABLE]);
});
