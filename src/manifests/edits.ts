/**
 * Replacements in a text, collected first and applied together, so that offsets stay those of the original.
 */

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
  /** An edit was of a kind that is rare enough to read the result back. */
  needProof = false;
  readonly #edits: Edit[] = [];

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
    if (at === this.text.length && !this.text.endsWith("\n")) this.replace(at, at, `\n${lines.replace(/\n$/, "")}`);
    else this.replace(at, at, lines);
  }

  /** Offset behind the line break of the line on which something ends. */
  endOfLine(end: number): number {
    if (end > 0 && this.text[end - 1] === "\n") return end;
    const at = this.text.indexOf("\n", end);
    return at === -1 ? this.text.length : at + 1;
  }

  /** Offset of the first character of a line. */
  startOfLine(offset: number): number {
    return this.text.lastIndexOf("\n", offset - 1) + 1;
  }

  /** How far a character stands from the start of its line. */
  column(offset: number): number {
    return offset - this.startOfLine(offset);
  }

  /** The text with all edits. */
  applied(): string {
    let result = "";
    let at = 0;
    for (const { from, to, text } of this.#edits.toSorted((a, b) => a.from - b.from)) {
      result += this.text.slice(at, Math.max(at, from)) + text;
      at = Math.max(at, to);
    }
    return result + this.text.slice(at);
  }
}
