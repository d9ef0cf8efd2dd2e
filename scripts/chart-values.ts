/**
 * The chart's values: values.yaml is the source, with a comment above each; the schema and the table of README.md are
 * made from it. A value is documented where it has a comment, and a test fails where one has none.
 */
import { readFileSync } from "node:fs";
import { isMap, isScalar, parse, parseDocument } from "yaml";
import type { JsonObject, JsonValue } from "../src/pod/json.ts";

const VALUES = "charts/gracegate/values.yaml";

/** One value of the chart. */
export interface ChartValue {
  /** `webhook.port`. */
  readonly path: string;
  readonly value: JsonValue;
  /** The comment above it. */
  readonly meaning: string;
}

/** What a value may be, beyond the type of its default. */
const BOUNDS: Readonly<Record<string, JsonObject>> = {
  replicas: { minimum: 0 },
  "image.repository": { minLength: 1 },
  "image.tag": { pattern: "^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$" },
  "image.digest": { pattern: "^(sha256:[0-9a-f]{64})?$" },
  "image.pullPolicy": { enum: ["IfNotPresent", "Always", "Never"] },
  "webhook.port": { minimum: 1, maximum: 65_535 },
  "webhook.failurePolicy": { enum: ["Ignore", "Fail"] },
  "webhook.timeoutSeconds": { minimum: 1, maximum: 30 },
  "webhook.excludedNamespaces": { items: { type: "string" } },
  "webhook.annotations": { additionalProperties: { type: "string" } },
  "review.timeoutSeconds": { minimum: 1, maximum: 30 },
  "certificates.secretName": { pattern: "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$", maxLength: 253 },
  "certificates.source": { enum: ["self", "secret", "cert-manager"] },
  // A hundred years: past 9999 a certificate's dates cannot be written.
  "certificates.certificateDays": { type: "number", exclusiveMinimum: 0, maximum: 36_500 },
  "certificates.caDays": { type: "number", exclusiveMinimum: 0, maximum: 36_500 },
  "meshConfig.namespace": { maxLength: 63 },
  terminationGracePeriodSeconds: { minimum: 1 },
  gatewayTemplates: { items: { type: "string" }, minItems: 1 },
  gateways: {
    items: {
      type: "object",
      required: ["namespace", "selector"],
      additionalProperties: false,
      properties: {
        name: { type: "string", pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$", maxLength: 63 },
        namespace: { type: "string", pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", maxLength: 63 },
        selector: { type: "object", additionalProperties: { type: "string" }, minProperties: 1 },
        port: { type: "integer", minimum: 1, maximum: 65_535 },
        // A cluster may have another range than 30000 to 32767, but never ports that only root opens.
        nodePort: { type: "integer", minimum: 1024, maximum: 65_535 },
      },
    },
  },
  logLevel: { enum: ["debug", "info", "warn", "error"] },
  shutdownDelay: { pattern: "^[0-9]+(ms|s|m)?$" },
  "podDisruptionBudget.maxUnavailable": { type: ["integer", "string"] },
  "metrics.port": { minimum: 1, maximum: 65_535 },
};

/** Maps that a user fills with what Kubernetes knows: no fields of ours. */
const OPEN = ["resources", "metrics.dashboard.labels"];

/** All values in their order; those without a comment have an empty meaning. */
export function chartValues(): readonly ChartValue[] {
  const values: ChartValue[] = [];
  const visit = (node: unknown, at: string) => {
    if (!isMap(node)) return;
    for (const { key, value } of node.items) {
      const path = at === "" ? String(key) : `${at}.${String(key)}`;
      if (isMap(value) && value.items.length > 0 && !OPEN.includes(path)) visit(value, path);
      else {
        const [first] = node.items;
        // The comment above the first key of a mapping belongs to the mapping.
        const above = isScalar(key) ? key.commentBefore : undefined;
        const comment = above ?? (first?.key === key ? node.commentBefore : undefined);
        values.push({ path, value: jsonAt(path), meaning: lastParagraph(comment ?? "") });
      }
    }
  };
  visit(parseDocument(readFileSync(VALUES, "utf8")).contents, "");
  return values;
}

/** values.schema.json. */
export function valuesSchema(): JsonObject {
  const schemaOf = (value: JsonValue, path: string): JsonObject => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const fields = Object.entries(value as JsonObject);
      if (fields.length === 0 || OPEN.includes(path)) return { type: "object", ...BOUNDS[path] };
      const properties = fields.map(([name, field]) => [name, schemaOf(field, path === "" ? name : `${path}.${name}`)]);
      const required = fields
        .filter(([name, field]) => !isEmpty(field) && !OPEN.includes(path === "" ? name : `${path}.${name}`))
        .map(([name]) => name);
      return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties), required };
    }
    const type = Array.isArray(value) ? "array" : typeof value === "number" ? "integer" : typeof value;
    return { type, ...BOUNDS[path] };
  };
  const { properties, ...schema } = schemaOf(all(), "") as { properties: JsonObject };
  // helm hands a chart the values of its parent too.
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Values of the chart gracegate; made by `make generate` from values.yaml",
    ...schema,
    properties: { ...properties, global: { type: "object" } },
  };
}

/**
 * Whether a value that is missing means the same. Others are required: `--reuse-values` hands a chart the values of an older
 * one, and null takes one away.
 */
function isEmpty(value: JsonValue): boolean {
  return value === false || value === "" || ["[]", "{}"].includes(JSON.stringify(value));
}

function all(): JsonObject {
  return parse(readFileSync(VALUES, "utf8")) as JsonObject;
}

function jsonAt(path: string): JsonValue {
  return path.split(".").reduce<JsonValue>((value, key) => (value as JsonObject)[key] ?? null, all());
}

/** A comment that follows an empty line is the value's own; what stands before is about the file. */
function lastParagraph(comment: string): string {
  return (comment.split(/\n\s*\n/).at(-1) ?? "")
    .split("\n")
    .map((line) => line.trim())
    .join(" ");
}
