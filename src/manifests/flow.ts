/**
 * Adds entries to a collection in braces or brackets, in YAML or JSON, on the same line or on lines of their own as the
 * entries that are there.
 */
import type { JsonValue } from "../pod/json.ts";
import type { Edits } from "./edits.ts";
import { renderFlow, renderKey } from "./render.ts";

/** How a document is written. */
export type Style = "yaml" | "json";

/** A new entry; one of a list has no key. */
export interface FlowEntry {
  readonly key?: string;
  readonly value: JsonValue;
}

/** Offsets around the entry behind which something is added. */
export interface Around {
  /** The opening brace. */
  readonly open: number;
  /** The start of the collection's first entry. */
  readonly first: number;
  /** The start of the entry before the new ones. */
  readonly last: number;
  /** The end of that entry. */
  readonly end: number;
}

/** Writes down the edits that add entries. */
export function addToFlow(
  edits: Edits,
  style: Style,
  { open, first, last, end }: Around,
  entries: readonly FlowEntry[],
): void {
  const isSpread = edits.text.slice(open, first).includes("\n");
  const indent = isSpread ? indentOf(edits, last) : "";
  const unit = indent.slice(indentOf(edits, open).length);
  const isCompact = style === "json" && !isSpread && /":\S/.test(edits.text);
  const separator = isSpread ? `,\n${indent}` : isCompact ? "," : ", ";
  const text = entries.map(({ key, value }) => {
    if (style === "yaml") return key === undefined ? renderFlow(value) : `${renderKey(key)}: ${renderFlow(value)}`;
    const printed = JSON.stringify(value, undefined, isSpread ? unit || "  " : undefined).replaceAll(
      "\n",
      `\n${indent}`,
    );
    return key === undefined ? printed : `${JSON.stringify(key)}:${isCompact ? "" : " "}${printed}`;
  });
  edits.replace(end, end, text.map((entry) => separator + entry).join(""));
}

function indentOf(edits: Edits, offset: number): string {
  return /^[ \t]*/.exec(edits.text.slice(edits.startOfLine(offset)))?.[0] ?? "";
}
