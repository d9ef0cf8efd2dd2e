/**
 * Splits a stream of YAML documents at its `---` lines, and one of JSON behind each object, without parsing it.
 *
 * YAML lets no content start with such a line, and kubectl splits in the same way. So one broken document cannot swallow
 * the next, and only one at a time has to be in memory as a tree.
 */
import { isJson } from "../yaml/edit.ts";

/** One document of a stream, with the `---` line that starts it and the directives (`%YAML 1.2`) before that. */
export interface Chunk {
  readonly text: string;
  /** Line of the stream on which it starts; the first is 1. */
  readonly line: number;
}

const MARKER = /^---(?=[ \t\r\n]|$)/gm;

/** The documents of a stream, in order; their texts together are the stream, byte for byte. */
export function* chunksOf(stream: string): Generator<Chunk> {
  let from = 0;
  let line = 1;
  for (const marker of stream.matchAll(MARKER)) {
    const index = startOfDirectives(stream, from, marker.index);
    if (index === from) continue;
    const text = stream.slice(from, index);
    yield* objectsIn(text, line);
    line += linesIn(text);
    from = index;
  }
  if (from < stream.length || stream === "") yield* objectsIn(stream.slice(from), line);
}

/** A document, or the JSON objects that follow one another in it. */
function* objectsIn(text: string, line: number): Generator<Chunk> {
  let from = 0;
  let at = line;
  for (const end of text.trimStart().startsWith("{") ? endsOfObjects(text) : []) {
    if (!isJson(text.slice(from, end))) break;
    // What is behind the last one stays with it.
    if (text.slice(end).trim() === "") break;
    const object = text.slice(from, end);
    yield { text: object, line: at };
    at += linesIn(object);
    from = end;
  }
  yield { text: text.slice(from), line: at };
}

/** Offsets behind the closing braces of the objects of a text that may be JSON. */
function* endsOfObjects(text: string): Generator<number> {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfText(text, at);
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) yield at + 1;
  }
}

/** Offset of the quote that ends a text of JSON. */
function endOfText(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/**
 * Where the directives of a document begin, which may have comments between them: at the start of what is left of the
 * stream, or after a `...` line; elsewhere a line with `%` is content. Without directives that is the marker itself.
 */
function startOfDirectives(stream: string, from: number, marker: number): number {
  let start = marker;
  let found = marker;
  while (start > from) {
    const line = stream.lastIndexOf("\n", start - 2) + 1;
    const text = stream.slice(Math.max(line, from), start);
    if (/^\.\.\.\s/.test(text)) return found;
    if (!/^(?:%|\s*(?:#|$))/.test(text)) return marker;
    start = Math.max(line, from);
    if (text.startsWith("%")) found = start;
  }
  return found === marker ? marker : from;
}

/** How many line breaks a text has. */
export function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
