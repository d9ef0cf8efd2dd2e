/**
 * Changes values in the text of a document; only where that cannot be done in place is it written anew as a whole.
 */
import { isObject, type JsonValue, sameJson } from "../json/json.ts";
import { editYaml, isJson } from "../yaml/edit.ts";
import { renderDocument } from "../yaml/render.ts";
import type { Manifest } from "./document.ts";

/** A document's new text. */
export interface Rewritten {
  readonly text: string;
  /** The document had to be written anew as a whole, so its comments and style are lost. */
  readonly whole: boolean;
}

/**
 * Writes a changed value into the text of a document.
 *
 * @param after the value that the text shall have
 */
export function rewrite({ chunk, value, yaml }: Manifest, after: JsonValue): Rewritten {
  if (sameJson(value, after)) return { text: chunk.text, whole: false };
  const text = isObject(after) ? editYaml(yaml, after) : undefined;
  if (text !== undefined) return { text, whole: false };
  return { text: renderDocument(chunk.text, after, isJson(chunk.text)), whole: true };
}
