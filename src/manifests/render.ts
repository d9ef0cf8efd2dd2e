/**
 * New values as text, in the style of the place where they go.
 *
 * What is written reads the same in YAML 1.1 (Kubernetes, Istio) and 1.2: `"on"`, `"36"` and dates are quoted.
 */
import { isScalar, type Node, type ParsedNode, Scalar, stringify } from "yaml";
import type { JsonValue } from "../pod/json.ts";

const options = {
  version: "1.1",
  lineWidth: 0,
  minContentWidth: 0,
  aliasDuplicateObjects: false,
  blockQuote: "literal",
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

/** A non-empty collection as block lines, each indented, with a line break at the end. */
export function renderBlock(value: JsonValue, indent: number, indentSeq: boolean): string {
  return indented(stringify(value, { ...options, indentSeq }), indent);
}

/** A value on one line, as it may stand within a flow collection. */
export function renderFlow(value: JsonValue): string {
  return stringify(value, { ...options, collectionStyle: "flow" }).trimEnd();
}

/** A key as it is written in YAML. */
export function renderKey(key: string): string {
  return renderFlow(key);
}

/**
 * A scalar in place of another one, in its style: a block stays a block with its indentation, a quoted text stays quoted.
 *
 * @param old the node that is replaced, if any
 * @param source the old node's text
 * @param column where the key stands that the scalar belongs to
 * @param isFollowed whether a comment stands behind it on its line
 */
export function renderScalar(
  value: JsonValue,
  old: Node | null,
  source: string,
  column: number,
  isFollowed: boolean,
): string {
  if (typeof value !== "string") return renderFlow(value);
  const type = isScalar(old) ? (old as ParsedNode & Scalar).type : undefined;
  if (type === Scalar.QUOTE_DOUBLE) return JSON.stringify(value);
  if (type === Scalar.QUOTE_SINGLE && !/[\n\r]/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  if (!value.includes("\n")) return renderFlow(value);
  if (isFollowed && type !== Scalar.BLOCK_LITERAL && type !== Scalar.BLOCK_FOLDED) return JSON.stringify(value);
  return renderBlockScalar(value, source, column) ?? JSON.stringify(value);
}

/** A text of several lines as a literal block; undefined where a block cannot hold it. */
function renderBlockScalar(value: string, source: string, column: number): string | undefined {
  if (/^[ \n]|[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\uffef]/.test(value.replaceAll("\t", " "))) return undefined;
  const comment = /^[|>][-+0-9]*([ \t]+#[^\n\r]*)?/.exec(source)?.[1] ?? "";
  const body = /^[|>][^\n]*\n(?:[ \t]*\r?\n)*( +)/.exec(source)?.[1];
  const indent = " ".repeat(body !== undefined && body.length > column ? body.length : column + 2);
  const chomping = value.endsWith("\n\n") ? "+" : value.endsWith("\n") ? "" : "-";
  const lines = value.replace(/\n$/, "").split("\n");
  return `|${chomping}${comment}\n${lines.map((line) => (line === "" ? "" : indent + line)).join("\n")}\n`;
}

function indented(text: string, indent: number): string {
  return text.replace(/^(?=[^\n])/gm, " ".repeat(indent));
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
