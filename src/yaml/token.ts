/**
 * The pieces of a text of YAML.
 */
import type { ScalarStyle } from "./scalars.ts";
import type { SimpleKey } from "./simple-keys.ts";

/** What a token is; the brackets, `,`, `-`, `?` and `:` are themselves. */
export type TokenKind =
  | ("[" | "]" | "{" | "}" | "," | "-" | "?" | ":")
  | ("scalar" | "alias" | "anchor" | "tag" | "directive")
  | ("list" | "mapping" | "end")
  | ("document" | "documentEnd" | "textEnd");

/** A token; those that open (`list`, `mapping`) or end a block have no length. */
export interface Token {
  readonly kind: TokenKind;
  readonly from: number;
  readonly to: number;
  /** A scalar's text, a name, a tag. */
  readonly text: string;
  readonly style: ScalarStyle | undefined;
  /** Whether it may yet turn out to begin a key. */
  key: SimpleKey | undefined;
}

/** Tokens that were cut and not yet taken. */
export class TokenQueue {
  #tokens: Token[] = [];
  #head = 0;

  /** The next one; undefined where none is there. */
  get next(): Token | undefined {
    return this.#tokens[this.#head];
  }

  push(token: Token): void {
    // What was taken goes now and then, so that a long text does not stay in memory as tokens.
    if (this.#head > 1000) {
      this.#tokens = this.#tokens.slice(this.#head);
      this.#head = 0;
    }
    this.#tokens.push(token);
  }

  /** Puts one before the next one. */
  putBack(token: Token): void {
    if (this.#head === 0) this.#tokens.unshift(token);
    else this.#tokens[--this.#head] = token;
  }

  drop(): void {
    this.#head++;
  }
}
