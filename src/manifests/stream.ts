/**
 * Splits a stream of YAML documents at its `---` lines, without parsing it.
 *
 * YAML lets no content start with such a line, and kubectl splits in the same way. So one broken document cannot swallow
 * the next, and only one at a time has to be in memory as a tree.
 */

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
    yield { text, line };
    line += linesIn(text);
    from = index;
  }
  if (from < stream.length || stream === "") yield { text: stream.slice(from), line };
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
