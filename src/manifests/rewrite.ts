/**
 * Changes values in the text of a document so that every byte that need not change stays: comments, order of keys,
 * quoting, line ends.
 *
 * The changed value is compared with the old one, and only the nodes that differ are written anew in place. Wherever that
 * is not as simple as a new line or another number, the result is read back. If it does not mean what was wanted, since
 * aliases changed with their anchor, those are written out in a second pass, and only if nothing helps the document is
 * written anew as a whole.
 */
import type { Document, Node } from "yaml";
import { isObject, type JsonValue, sameJson } from "../pod/json.ts";
import { isJson, type Manifest, parseManifest } from "./document.ts";
import { Edits } from "./edits.ts";
import { renderDocument } from "./render.ts";
import { changeNode } from "./rewrite-node.ts";

/** A document's new text. */
export interface Rewritten {
  readonly text: string;
  /** The document had to be written anew as a whole, so its comments and style are lost. */
  readonly whole: boolean;
}

/** Text that can make an edit in one place show in another, or a value mean something else than its node says. */
const TRICKY = /(?:^|[\s[{,:-])[&*!][^\s,\]}]|<<\s*:|^[^\S\n\r\u2028\u2029]*\?\s/m;

/**
 * Writes a changed value into the text of a document.
 *
 * @param after the value that the text shall have
 */
export function rewrite(manifest: Manifest, after: JsonValue): Rewritten {
  const { chunk, value } = manifest;
  if (sameJson(value, after)) return { text: chunk.text, whole: false };
  const json = isJson(chunk.text);
  let current = manifest;
  for (let pass = 0; pass < PASSES; pass++) {
    const edits = new Edits(current.chunk.text);
    if (!edited(current.document, current.value, after, edits, json)) break;
    const text = edits.applied();
    if (pass === 0 && !edits.needProof && !TRICKY.test(text)) return { text, whole: false };
    const parsed = parseManifest({ text, line: 1 });
    if (!parsed.ok) break;
    if (sameJson(parsed.value, after)) return { text, whole: false };
    current = parsed;
  }
  return { text: renderDocument(chunk.text, after, json), whole: true };
}

/** An anchor within an anchor within an anchor: nobody writes more. */
const PASSES = 4;

function edited(document: Document<Node>, before: JsonValue, after: JsonValue, edits: Edits, json: boolean): boolean {
  if (document.contents === null || !isObject(before) || !isObject(after)) return false;
  return changeNode(document.contents, before, after, {
    edits,
    style: json ? "json" : "yaml",
    indentSeq: indentsSequences(edits.text),
  });
}

/** Whether `- ` stands deeper than the key above it, as most of this document has it. */
function indentsSequences(text: string): boolean {
  const match = /^( *)(?:- )?[\w"'.-]+:[ \t]*(?:#.*)?\r?\n(?: *#.*\r?\n)*( *)- /m.exec(text);
  return match === null || (match[2] ?? "").length > (match[1] ?? "").length;
}

/** Whether a text means a value. */
export function readsAs(text: string, value: JsonValue): boolean {
  const parsed = parseManifest({ text, line: 1 });
  return parsed.ok && sameJson(parsed.value, value);
}
