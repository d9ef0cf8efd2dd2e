/**
 * Cuts a text into the tokens of YAML 1.1, as go-yaml does: what kubectl and Istio read is read, what they refuse is refused.
 *
 * No package in JavaScript reads as go-yaml does: they want deeper lines in quoted texts, end flow lists elsewhere, and
 * know no lone CR. The scanner moves forward only; a token that may yet begin a key waits. Nesting is bounded here, so
 * whoever reads the tokens may recurse.
 */
import { afterBreak, controlIn, endOfLine, isBlankOrEnd, isBreak, isMarker } from "./characters.ts";
import { YamlError } from "./problem.ts";
import { endOfName, endOfTag } from "./properties.ts";
import { readBlock, readPlain, readQuoted, type ScalarStyle } from "./scalars.ts";
import { isStillPossible, type SimpleKey, SimpleKeys } from "./simple-keys.ts";
import { type Token, type TokenKind, TokenQueue } from "./token.ts";

/** Deepest nesting that is read: no Kubernetes object comes near. */
const MAX_DEPTH = 200;

/** Reads tokens from a text, one after the other. */
export class Tokens {
  readonly #text: string;
  #at = 0;
  #lineStart = 0;
  #indent = -1;
  readonly #indents: number[] = [];
  #isKeyAllowed = true;
  readonly #keys = new SimpleKeys();
  readonly #queue = new TokenQueue();

  constructor(text: string) {
    const control = controlIn(text);
    if (control !== undefined) throw new YamlError(control, "control characters are not allowed");
    this.#text = text;
    if (text.startsWith("\ufeff")) {
      this.#at = 1;
      this.#lineStart = 1;
    }
  }

  /** The next token, which stays the next. */
  peek(): Token {
    for (;;) {
      const { next } = this.#queue;
      const isOpen = next?.key !== undefined && isStillPossible(next.key, this.#at, this.#lineStart);
      if (next !== undefined && !isOpen) return this.#opened(next);
      this.#fetch();
    }
  }

  /** The next token, which is done with. */
  take(): Token {
    const token = this.peek();
    this.#queue.drop();
    return token;
  }

  /** What a token that begins a key has before it. */
  #opened(token: Token): Token {
    const found = token.key?.found;
    if (found === undefined) return token;
    const opening: Token = { ...token, kind: found === "mapping" ? "mapping" : "?", to: token.from, key: undefined };
    token.key = undefined;
    if (found === "mapping") this.#queue.putBack({ ...opening, kind: "?" });
    this.#queue.putBack(opening);
    return opening;
  }

  #push(kind: TokenKind, to: number, text = "", style?: ScalarStyle, key?: SimpleKey): void {
    this.#queue.push({ kind, from: this.#at, to, text, style, key });
    this.#at = to;
  }

  #fetch(): void {
    this.#skipToToken();
    const text = this.#text;
    const column = this.#at - this.#lineStart;
    if (this.#at >= text.length) {
      // No key reaches over the end of the text.
      this.#lineStart = text.length + 1;
      this.#unroll(-1);
      this.#keys.forget();
      this.#push("textEnd", this.#at);
      return;
    }
    this.#unroll(column);
    if (column === 0 && (this.#directive() || this.#marker())) return;
    if (this.#indicator(column)) return;
    const key = this.#saveKey();
    this.#scalar(readPlain(text, this.#at, this.#indent + 1, this.#keys.depth > 0), "plain", key);
  }

  /** Reads what is not a plain scalar; false where it is one. */
  #indicator(column: number): boolean {
    const text = this.#text;
    const isAlone = isBlankOrEnd(text.charCodeAt(this.#at + 1));
    const inFlow = this.#keys.depth > 0;
    const character = text[this.#at] ?? "";
    switch (character) {
      case "[":
      case "{":
        this.#openFlow(character);
        return true;
      case "]":
      case "}":
        this.#keys.forget();
        this.#keys.close();
        this.#isKeyAllowed = false;
        this.#push(character, this.#at + 1);
        return true;
      case ",":
        this.#keys.forget();
        this.#isKeyAllowed = true;
        this.#push(",", this.#at + 1);
        return true;
      case "-":
        if (isAlone) this.#entry(column, inFlow);
        return isAlone;
      case "?":
        if (inFlow || isAlone) this.#explicitKey(column, inFlow);
        return inFlow || isAlone;
      case ":":
        if (inFlow || isAlone) this.#value(column, inFlow);
        return inFlow || isAlone;
      case "*":
      case "&":
        this.#name(character === "*" ? "alias" : "anchor");
        return true;
      case "!":
        this.#tag();
        return true;
      case "'":
      case '"':
        this.#scalar(readQuoted(text, this.#at), character === "'" ? "single" : "double", this.#saveKey());
        return true;
      case "|":
      case ">":
        if (inFlow) this.#refuse();
        this.#keys.forget();
        this.#scalar(readBlock(text, this.#at, this.#indent), character === "|" ? "literal" : "folded", undefined);
        return true;
      case "%":
      case "@":
      case "`":
      case "\t":
        return this.#refuse();
      default:
        return false;
    }
  }

  #refuse(): never {
    const character = this.#text[this.#at] ?? "";
    const reason =
      character === "\t"
        ? "Tabs are not allowed as indentation"
        : `Plain value cannot start with reserved character ${character}`;
    throw new YamlError(this.#at, reason);
  }

  #skipToToken(): void {
    const text = this.#text;
    for (;;) {
      const inFlow = this.#keys.depth > 0;
      let code = text.charCodeAt(this.#at);
      while (code === 0x20 || (code === 0x09 && (inFlow || !this.#isKeyAllowed))) {
        this.#at++;
        code = text.charCodeAt(this.#at);
      }
      if (code === 0x23) this.#at = endOfLine(text, this.#at);
      if (!isBreak(text.charCodeAt(this.#at))) return;
      this.#at = afterBreak(text, this.#at);
      this.#lineStart = this.#at;
      if (!inFlow) this.#isKeyAllowed = true;
    }
  }

  #scalar(read: ReturnType<typeof readPlain>, style: ScalarStyle, key: SimpleKey | undefined): void {
    this.#isKeyAllowed = read.endedLine;
    this.#push("scalar", read.end, read.text, style, key);
    this.#at = read.next;
    this.#lineStart = read.lineStart ?? this.#lineStart;
  }

  #openFlow(kind: "[" | "{"): void {
    const key = this.#saveKey();
    this.#keys.open();
    this.#deeper();
    this.#isKeyAllowed = true;
    this.#push(kind, this.#at + 1, "", undefined, key);
  }

  #deeper(): void {
    if (this.#keys.depth + this.#indents.length > MAX_DEPTH) {
      throw new YamlError(this.#at, "nested too deeply, as no Kubernetes object is");
    }
  }

  #entry(column: number, inFlow: boolean): void {
    this.#openBlock("list", column, inFlow);
    this.#keys.forget();
    this.#isKeyAllowed = true;
    this.#push("-", this.#at + 1);
  }

  #explicitKey(column: number, inFlow: boolean): void {
    this.#openBlock("mapping", column, inFlow);
    this.#keys.forget();
    this.#isKeyAllowed = !inFlow;
    this.#push("?", this.#at + 1);
  }

  /** A dash, `?` or lone colon opens a block where none is open at its column; it may stand where a key may. */
  #openBlock(kind: "list" | "mapping", column: number, inFlow: boolean): void {
    if (inFlow) return;
    if (!this.#isKeyAllowed) throw new YamlError(this.#at, `a nested ${kind} is not allowed here`);
    if (this.#roll(column)) this.#push(kind, this.#at);
  }

  #value(column: number, inFlow: boolean): void {
    const key = this.#keys.takeAt(this.#at, this.#lineStart);
    if (key !== undefined) {
      key.found = this.#roll(key.column) ? "mapping" : "key";
      this.#isKeyAllowed = false;
    } else {
      this.#openBlock("mapping", column, inFlow);
      this.#isKeyAllowed = !inFlow;
    }
    this.#push(":", this.#at + 1);
  }

  #name(kind: "alias" | "anchor"): void {
    const key = this.#saveKey();
    this.#isKeyAllowed = false;
    const to = endOfName(this.#text, this.#at, kind);
    this.#push(kind, to, this.#text.slice(this.#at + 1, to), undefined, key);
  }

  #tag(): void {
    const key = this.#saveKey();
    this.#isKeyAllowed = false;
    const to = endOfTag(this.#text, this.#at);
    this.#push("tag", to, this.#text.slice(this.#at, to), undefined, key);
  }

  /** A line that begins with `%`, which is one only at the start of a line. */
  #directive(): boolean {
    if (this.#text[this.#at] !== "%") return false;
    this.#endBlocks();
    const to = endOfLine(this.#text, this.#at);
    this.#push("directive", to, this.#text.slice(this.#at, to));
    return true;
  }

  /** `---` or `...` */
  #marker(): boolean {
    if (!isMarker(this.#text, this.#at)) return false;
    this.#endBlocks();
    this.#push(this.#text[this.#at] === "-" ? "document" : "documentEnd", this.#at + 3);
    return true;
  }

  #endBlocks(): void {
    this.#unroll(-1);
    this.#keys.forget();
    this.#isKeyAllowed = false;
  }

  #saveKey(): SimpleKey | undefined {
    if (!this.#isKeyAllowed) return undefined;
    const column = this.#at - this.#lineStart;
    const isRequired = this.#keys.depth === 0 && this.#indent === column;
    this.#isKeyAllowed = false;
    return this.#keys.save({
      isPossible: true,
      isRequired,
      at: this.#at,
      lineStart: this.#lineStart,
      column,
      found: undefined,
    });
  }

  /** Opens a block at a column; false where it is open. */
  #roll(column: number): boolean {
    if (this.#keys.depth > 0 || this.#indent >= column) return false;
    this.#indents.push(this.#indent);
    this.#indent = column;
    this.#deeper();
    return true;
  }

  /** Ends the blocks that are deeper than a column. */
  #unroll(column: number): void {
    if (this.#keys.depth > 0) return;
    while (this.#indent > column) {
      this.#push("end", this.#at);
      this.#indent = this.#indents.pop() ?? -1;
    }
  }
}
