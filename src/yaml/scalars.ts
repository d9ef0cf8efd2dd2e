/**
 * Reads scalars: plain, quoted and block, with the line folding of each.
 *
 * Every function moves forward over the text once.
 */
import { afterBreak, breakAt, endOfLine, isBlank, isBlankOrEnd, isBreak, isMarker } from "./characters.ts";
import { YamlError } from "./problem.ts";

/** How a scalar is written. */
export type ScalarStyle = "plain" | "single" | "double" | "literal" | "folded";

/** A scalar that was read. */
export interface ReadScalar {
  readonly text: string;
  /** Offset behind its last character; the line break that ends a block is not part of it. */
  readonly end: number;
  /** Where the reader goes on. */
  readonly next: number;
  /** Start of the line on which that is; undefined where it is still the scalar's first line. */
  readonly lineStart: number | undefined;
  /** Behind its last character a line ended. */
  readonly endedLine: boolean;
}

/** White space between words: its text when folded, and where it ends. */
interface Gap {
  readonly folded: string;
  readonly next: number;
  /** Start of the line on which that is; undefined where no line ended. */
  readonly lineStart: number | undefined;
}

/**
 * Reads blanks and line breaks.
 *
 * @param start of the line, where an escaped line break came before: then blanks count for nothing
 * @param indent least column of a tab at the start of a line
 */
function readGap(text: string, from: number, start: number | undefined, indent: number): Gap {
  let at = from;
  let first = "";
  let rest = "";
  let lineStart = start;
  for (let code = text.charCodeAt(at); isBlank(code) || isBreak(code); code = text.charCodeAt(at)) {
    if (isBreak(code)) {
      if (lineStart === undefined) first = breakAt(text, at);
      else rest += breakAt(text, at);
      at = afterBreak(text, at);
      lineStart = at;
    } else {
      if (code === 0x09 && lineStart !== undefined && at - lineStart < indent) {
        throw new YamlError(at, "a tab in the indentation of a text");
      }
      at++;
    }
  }
  if (lineStart === undefined) return { folded: text.slice(from, at), next: at, lineStart };
  return { folded: first === "\n" ? rest || " " : first + rest, next: at, lineStart };
}

/**
 * Reads a plain scalar.
 *
 * @param indent least column of its further lines, outside of a flow collection
 */
export function readPlain(text: string, from: number, indent: number, inFlow: boolean): ReadScalar {
  let result = "";
  let at = from;
  let end = from;
  let gap: Gap | undefined;
  let lineStart: number | undefined;
  for (;;) {
    if (at === lineStart && isMarker(text, at)) break;
    if (text.charCodeAt(at) === 0x23) break;
    const start = at;
    while (!isBlankOrEnd(text.charCodeAt(at)) && !endsPlain(text, at, inFlow)) at++;
    if (at > start) {
      result += (gap?.folded ?? "") + text.slice(start, at);
      gap = undefined;
      end = at;
    }
    if (!isBlank(text.charCodeAt(at)) && !isBreak(text.charCodeAt(at))) break;
    gap = readGap(text, at, undefined, indent);
    at = gap.next;
    lineStart = gap.lineStart ?? lineStart;
    if (!inFlow && gap.lineStart !== undefined && at - gap.lineStart < indent) break;
  }
  // A line that ended behind the last word lets a key begin; one that ended before it does not.
  return { text: result, end, next: at, lineStart, endedLine: gap?.lineStart !== undefined };
}

function endsPlain(text: string, at: number, inFlow: boolean): boolean {
  const code = text.charCodeAt(at);
  if (code === 0x3a) return isBlankOrEnd(text.charCodeAt(at + 1));
  // , ? [ ] { }
  return inFlow && (code === 0x2c || code === 0x3f || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  " ": " ",
  '"': '"',
  "'": "'",
  "\\": "\\",
  N: "\x85",
  _: "\xa0",
  L: "\u2028",
  P: "\u2029",
};

const ESCAPE_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Reads a quoted scalar; its further lines may stand at any column, as go-yaml takes them. */
export function readQuoted(text: string, from: number): ReadScalar {
  const quote = text.charCodeAt(from);
  const isDouble = quote === 0x22;
  const parts: string[] = [];
  let lineStart: number | undefined;
  let at = from + 1;
  for (;;) {
    const word = readQuotedWord(text, at, quote, isDouble, parts);
    at = word.next;
    if (text.charCodeAt(at) === quote) break;
    if (at >= text.length) throw new YamlError(at, `Missing closing ${isDouble ? "double" : "single"} quote`);
    const gap = readGap(text, at, word.isContinued ? at : undefined, 0);
    parts.push(gap.folded);
    at = gap.next;
    lineStart = gap.lineStart ?? lineStart;
    if (at === lineStart && isMarker(text, at)) throw new YamlError(from, "a document marker within a quoted text");
  }
  return { text: parts.join(""), end: at + 1, next: at + 1, lineStart, endedLine: false };
}

/** Reads to the next blank, line break or closing quote; `isContinued` behind an escaped line break. */
function readQuotedWord(text: string, from: number, quote: number, isDouble: boolean, parts: string[]) {
  let at = from;
  let start = from;
  while (!isBlankOrEnd(text.charCodeAt(at))) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      if (isDouble || text.charCodeAt(at + 1) !== quote) break;
      parts.push(text.slice(start, at + 1));
      at += 2;
      start = at;
    } else if (isDouble && code === 0x5c) {
      parts.push(text.slice(start, at));
      if (isBreak(text.charCodeAt(at + 1))) return { next: afterBreak(text, at + 1), isContinued: true };
      const escaped = readEscape(text, at);
      parts.push(escaped.text);
      at = escaped.next;
      start = at;
    } else at++;
  }
  parts.push(text.slice(start, at));
  return { next: at, isContinued: false };
}

function readEscape(text: string, at: number): { readonly text: string; readonly next: number } {
  const name = text[at + 1] ?? "";
  if (Object.hasOwn(ESCAPES, name)) return { text: ESCAPES[name] ?? "", next: at + 2 };
  const digits = Object.hasOwn(ESCAPE_DIGITS, name) ? (ESCAPE_DIGITS[name] ?? 0) : 0;
  if (digits === 0) throw new YamlError(at, "an unknown escape in a quoted text");
  const hex = text.slice(at + 2, at + 2 + digits);
  const code = Number.parseInt(hex, 16);
  if (hex.length < digits || !/^[0-9a-fA-F]+$/.test(hex)) throw new YamlError(at, "an escape without its digits");
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new YamlError(at, "an escape that is no character");
  return { text: String.fromCodePoint(code), next: at + 2 + digits };
}

/**
 * Reads a block scalar.
 *
 * @param parent column of the block that it stands in; -1 where that is none
 */
export function readBlock(text: string, from: number, parent: number): ReadScalar {
  const isLiteral = text.charCodeAt(from) === 0x7c;
  const head = /[-+]?[1-9]?[-+]?/y;
  head.lastIndex = from + 1;
  const indicators = head.exec(text)?.[0] ?? "";
  let at = from + 1 + indicators.length;
  while (isBlank(text.charCodeAt(at))) at++;
  if (text.charCodeAt(at) === 0x23) at = endOfLine(text, at);
  const increment = /[1-9]/.exec(indicators)?.[0];
  if (/[-+].*[-+]/.test(indicators) || (at < text.length && !isBreak(text.charCodeAt(at)))) {
    throw new YamlError(from, "a block text with something else on its first line");
  }
  let end = at;
  if (at < text.length) at = afterBreak(text, at);
  let indent = increment === undefined ? 0 : Math.max(parent, 0) + Number(increment);
  const content: string[] = [];
  let lead = "";
  let wasBlank = false;
  let line = blankLines(text, at, indent, from);
  if (indent === 0) indent = Math.max(line.widest, parent + 1, 1);
  while (line.column === indent && line.next < text.length) {
    const isMoreIndented = isBlank(text.charCodeAt(line.next));
    const isFolded = !isLiteral && !wasBlank && !isMoreIndented && lead === "\n";
    content.push(isFolded ? (line.breaks === "" ? " " : "") : lead, line.breaks);
    wasBlank = isMoreIndented;
    end = endOfLine(text, line.next);
    content.push(text.slice(line.next, end));
    lead = end < text.length ? breakAt(text, end) : "";
    line = blankLines(text, end < text.length ? afterBreak(text, end) : end, indent, from);
  }
  const keeps = indicators.includes("+");
  if (!indicators.includes("-")) content.push(lead);
  if (keeps) content.push(line.breaks);
  if (keeps && line.breaks !== "") end = line.lastBreak;
  return { text: content.join(""), end, next: line.next, lineStart: line.next - line.column, endedLine: true };
}

/** Blank lines in a block, and the indentation of what follows; 0 for one that is not known yet. */
function blankLines(text: string, from: number, indent: number, start: number) {
  let at = from;
  let breaks = "";
  let widest = 0;
  let lastBreak = from;
  for (;;) {
    let column = 0;
    while ((indent === 0 || column < indent) && text.charCodeAt(at) === 0x20) {
      at++;
      column++;
    }
    widest = Math.max(widest, column);
    if ((indent === 0 || column < indent) && text.charCodeAt(at) === 0x09) {
      throw new YamlError(start, "a tab where a block text wants a space");
    }
    if (!isBreak(text.charCodeAt(at))) return { breaks, column, widest, lastBreak, next: at };
    breaks += breakAt(text, at);
    lastBreak = at;
    at = afterBreak(text, at);
  }
}
