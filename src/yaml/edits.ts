/**
 * Replacements in a text, collected first and applied together, so that offsets stay those of the original.
 */
import { afterBreak, isBreak } from "./characters.ts";

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Collects edits of one text. */
export class Edits {
  readonly text: string;
  /** How this text ends its lines. */
  readonly lineEnd: "\n" | "\r\n";
  readonly #edits: Edit[] = [];
  #lines: readonly number[] | undefined;

  constructor(text: string) {
    this.text = text;
    this.lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  }

  /** Puts a text in place of a range. Insertions at one place come out in the order in which they were made. */
  replace(from: number, to: number, text: string): void {
    this.#edits.push({ from, to, text: this.lineEnd === "\n" ? text : text.replaceAll("\n", "\r\n") });
  }

  /** A point to which `undo` can go back. */
  mark(): number {
    return this.#edits.length;
  }

  /** Forgets the edits since a mark. */
  undo(mark: number): void {
    this.#edits.length = mark;
  }

  /**
   * Inserts whole lines behind the line on which something ends.
   *
   * @param end offset behind that thing
   * @param lines text that ends with a line break
   */
  insertLines(end: number, lines: string): void {
    const at = this.endOfLine(end);
    // Nothing may be added to a last line that has no break.
    if (this.isOpenEnded(end)) this.replace(at, at, `\n${lines.replace(/\n$/, "")}`);
    else this.replace(at, at, lines);
  }

  /** Whether the line on which something ends is the last one and has no break. */
  isOpenEnded(end: number): boolean {
    return this.endOfLine(end) === this.text.length && !isBreak(this.text.charCodeAt(this.text.length - 1));
  }

  /** Offset behind the line break of the line on which something ends. */
  endOfLine(end: number): number {
    return this.#starts()[this.#line(end) + 1] ?? this.text.length;
  }

  /** Offset of the first character of a line. */
  startOfLine(offset: number): number {
    return this.#starts()[this.#line(offset)] ?? 0;
  }

  /** How far a character stands from the start of its line. */
  column(offset: number): number {
    return offset - this.startOfLine(offset);
  }

  /** The text with all edits. */
  applied(): string {
    const parts: string[] = [];
    let at = 0;
    for (const { from, to, text } of this.#edits.toSorted((a, b) => a.from - b.from)) {
      parts.push(this.text.slice(at, Math.max(at, from)), text);
      at = Math.max(at, to);
    }
    return parts.join("") + this.text.slice(at);
  }

  #line(offset: number): number {
    const starts = this.#starts();
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Where the lines begin, a byte order mark being part of none. */
  #starts(): readonly number[] {
    if (this.#lines !== undefined) return this.#lines;
    const starts = [this.text.startsWith("\ufeff") ? 1 : 0];
    for (let at = 0; at < this.text.length; at++) {
      if (!isBreak(this.text.charCodeAt(at))) continue;
      at = afterBreak(this.text, at) - 1;
      starts.push(at + 1);
    }
    this.#lines = starts;
    return starts;
  }
}
