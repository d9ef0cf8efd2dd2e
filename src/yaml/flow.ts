/**
 * Adds entries to a collection in braces or brackets, in YAML or JSON, on the same line or on lines of their own as the
 * entries that are there.
 */
import type { JsonValue } from "../json/json.ts";
import type { Edits } from "./edits.ts";
import { quotedText, renderFlow, renderKey } from "./render.ts";

/** How a document is written; `compact` JSON has no spaces. */
export type Style = "yaml" | "json" | "compact";

/** A new entry; one of a list has no key. */
export interface FlowEntry {
  readonly key?: string;
  readonly value: JsonValue;
}

/** Offsets around the entry behind which something is added. */
export interface Around {
  /** The opening brace. */
  readonly open: number;
  /** The start of the collection's first entry; undefined where it is empty. */
  readonly first: number | undefined;
  /** The start of the entry before the new ones. */
  readonly last: number;
  /** The end of that entry. */
  readonly end: number;
}

/**
 * Writes down the edits that add entries.
 *
 * @param quotes whether keys are quoted, in YAML
 */
export function addToFlow(
  edits: Edits,
  style: Style,
  { open, first, last, end }: Around,
  entries: readonly FlowEntry[],
  quotes = false,
): void {
  const isSpread = first !== undefined && edits.startOfLine(open) !== edits.startOfLine(first);
  const indent = isSpread ? indentOf(edits, last) : "";
  const unit = indent.slice(indentOf(edits, open).length);
  const isCompact = style === "compact" && !isSpread;
  const separator = isSpread ? `,\n${indent}` : isCompact ? "," : ", ";
  const texts = entries.map(({ key, value }) => {
    if (style === "yaml") {
      const name = key === undefined ? "" : `${quotes ? quotedText(key) : renderKey(key)}: `;
      return name + renderFlow(value);
    }
    const spread = JSON.stringify(value, undefined, isSpread ? unit || "  " : undefined);
    const printed = spread.replaceAll("\n", `\n${indent}`);
    return key === undefined ? printed : `${JSON.stringify(key)}:${isCompact ? "" : " "}${printed}`;
  });
  edits.replace(end, end, (first === undefined ? "" : separator) + texts.join(separator));
}

function indentOf(edits: Edits, offset: number): string {
  const start = edits.startOfLine(offset);
  let end = start;
  while (end < offset && (edits.text[end] === " " || edits.text[end] === "\t")) end++;
  return edits.text.slice(start, end);
}
