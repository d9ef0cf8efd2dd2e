/**
 * New values as text, in the style of the place where they go.
 *
 * What is written reads the same in YAML 1.1 (Kubernetes, Istio) and 1.2: `"on"`, `"36"` and dates are quoted.
 */
import { Document, visit } from "yaml";
import type { JsonArray, JsonObject, JsonValue } from "../json/json.ts";
import type { YamlNode } from "./node.ts";
import { needsQuotes, scalarValue } from "./resolve.ts";
import { resolved } from "./value.ts";

const written = {
  lineWidth: 0,
  minContentWidth: 0,
  blockQuote: "literal",
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

function print(value: JsonValue, options: { indentSeq?: boolean; collectionStyle?: "flow" }): string {
  const document = new Document(value, wholeNumber, { version: "1.1", aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === "string" && needsQuotes(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ ...written, ...options });
}

/** A number that a double cannot hold, as the yaml package writes it. */
function wholeNumber(_key: unknown, value: unknown): unknown {
  return JSON.isRawJSON(value) ? BigInt((value as unknown as { rawJSON: string }).rawJSON) : value;
}

/** A non-empty collection as block lines, each indented, with a line break at the end. */
export function renderBlock(value: JsonValue, indent: number, indentSeq: boolean): string {
  const lines = ordinaryLines(value, indent, indentSeq);
  return lines ?? print(value, { indentSeq }).replace(/^(?=[^\n])/gm, " ".repeat(indent));
}

/** A value on one line, as it may stand within a flow collection. */
export function renderFlow(value: JsonValue): string {
  return ordinaryScalar(value) ?? print(value, { collectionStyle: "flow" }).trimEnd();
}

/** Nearly all that is written is made of words, numbers and bools; the yaml package takes ten times as long for them. */
function ordinaryScalar(value: JsonValue): string | undefined {
  if (typeof value === "boolean" || Number.isSafeInteger(value)) return String(value);
  if (typeof value !== "string" || !/^[A-Za-z0-9][A-Za-z0-9_./-]*$/.test(value) || /^null$/i.test(value))
    return undefined;
  return needsQuotes(value) ? `"${value}"` : value;
}

/** A number that a double cannot hold is an object to JavaScript. */
function isCollection(value: JsonValue): value is JsonObject | JsonArray {
  return typeof value === "object" && value !== null && !JSON.isRawJSON(value);
}

function ordinaryLines(value: JsonValue, indent: number, indentSeq: boolean): string | undefined {
  const pad = " ".repeat(indent);
  let lines = "";
  for (const [key, inner] of Array.isArray(value) ? [] : Object.entries(value as JsonObject)) {
    const name = ordinaryScalar(key);
    const text = ordinaryScalar(inner);
    const isFull = text === undefined && isCollection(inner) && Object.keys(inner).length > 0;
    const below = isFull
      ? ordinaryLines(inner, Array.isArray(inner) && !indentSeq ? indent : indent + 2, indentSeq)
      : undefined;
    if (name === undefined || (text ?? below) === undefined) return undefined;
    lines += text === undefined ? `${pad}${name}:\n${below}` : `${pad}${name}: ${text}\n`;
  }
  for (const element of Array.isArray(value) ? (value as readonly JsonValue[]) : []) {
    const text = ordinaryScalar(element);
    if (text === undefined) return undefined;
    lines += `${pad}- ${text}\n`;
  }
  return lines;
}

/** A key as it is written in YAML. */
export function renderKey(key: string): string {
  return renderFlow(key);
}

/** A text in double quotes, with escapes for what ends a line in YAML 1.1 or may not stand there. */
export function quotedText(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * A scalar in place of another one, in its style: a block stays a block with its indentation, a quoted text stays quoted.
 *
 * @param old the node that is replaced
 * @param source the old node's text
 * @param column where the key stands that the scalar belongs to
 * @param isFollowed whether a comment stands behind it on its line
 */
export function renderScalar(
  value: JsonValue,
  old: YamlNode,
  source: string,
  column: number,
  isFollowed: boolean,
): string {
  if (typeof value !== "string") return renderFlow(value);
  const style = old.kind === "scalar" ? old.style : "plain";
  if (style === "double") return quotedText(value);
  if (style === "single" && /^[\x20-\x7e]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  if (!value.includes("\n")) return renderFlow(value);
  if (isFollowed && style !== "literal" && style !== "folded") return quotedText(value);
  return renderBlockScalar(value, source, column) ?? quotedText(value);
}

/** A text of several lines as a literal block; undefined where a block cannot hold it. */
function renderBlockScalar(value: string, source: string, column: number): string | undefined {
  if (/^[ \n]|[^\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\uffef]/.test(value.replaceAll("\t", " ")))
    return undefined;
  const comment = /^[|>][-+0-9]*([ \t]+#[^\n\r]*)?/.exec(source)?.[1] ?? "";
  const isBlock = source.startsWith("|") || source.startsWith(">");
  const first = isBlock ? source.split(/[\r\n]+/).find((line, index) => index > 0 && line.trim() !== "") : undefined;
  const body = first === undefined ? 0 : first.length - first.trimStart().length;
  const indent = " ".repeat(body > column ? body : column + 2);
  const chomping = value.endsWith("\n\n") ? "+" : value.endsWith("\n") ? "" : "-";
  const lines = value.replace(/\n$/, "").split("\n");
  return `|${chomping}${comment}\n${lines.map((line) => (line === "" ? "" : indent + line)).join("\n")}\n`;
}

/** What a node says on one line, its scalars as they are written: in place of an alias for it. */
export function flowSource(node: YamlNode, text: string): string {
  const target = resolved(node);
  if (target.kind === "list") return `[${target.items.map((item) => flowSource(item, text)).join(", ")}]`;
  if (target.kind === "mapping") {
    const pairs = target.pairs.map(({ key, value }) => `${flowSource(key, text)}: ${flowSource(value, text)}`);
    return `{${pairs.join(", ")}}`;
  }
  const source = text.slice(target.start, target.end);
  const value = scalarValue(target);
  if (typeof value === "string")
    return target.tag === undefined && /^\w[\w./-]*$/.test(source) ? source : quotedText(value);
  return value === null ? "null" : target.tag === undefined ? source : JSON.stringify(value);
}

/** A document written anew as a whole; its marker and the comments above it stay. */
export function renderDocument(source: string, value: JsonValue, json: boolean): string {
  if (json) {
    const unit = /\n([ \t]+)"/.exec(source)?.[1];
    return `${JSON.stringify(value, undefined, unit)}${source.endsWith("\n") ? "\n" : ""}`;
  }
  const head = /^(?:---[ \t]*(?:#.*)?\r?\n)?(?:[ \t]*(?:#.*)?\r?\n)*/.exec(source)?.[0] ?? "";
  const text = renderBlock(value, 0, true);
  return head + (source.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text);
}
