/**
 * Reads a text as go-yaml does, as a tree of nodes with their places. It stops at the first thing that is wrong.
 *
 * Time and memory are linear: the depth is bounded by the tokens, the number of values here, and aliases stay aliases.
 */
import type { MappingNode, ScalarNode, YamlNode, YamlPair } from "./node.ts";
import { attempt, YamlError, type YamlProblem } from "./problem.ts";
import { tagOf } from "./properties.ts";
import type { Token, TokenKind } from "./token.ts";
import { Tokens } from "./tokens.ts";

/** A text that was read, or what is wrong with it. */
export type ParsedYaml =
  | {
      readonly ok: true;
      /** Undefined where the text says nothing. */
      readonly root: YamlNode | undefined;
      /** Where a second document begins. */
      readonly rest: number | undefined;
      /** How many aliases it has. */
      readonly aliases: number;
    }
  | ({ readonly ok: false } & YamlProblem);

/** Most values of a text, keys among them: some 600 MB of tree. */
const MAX_NODES = 4_000_000;

/** Reads the first document of a text. */
export function parseYaml(text: string): ParsedYaml {
  const result = attempt(() => new Parser(text).document());
  return result.ok ? { ok: true, ...result.value } : result;
}

/** What may come instead of a node, so that it is empty. */
const BLOCK_ENDS: readonly TokenKind[] = ["?", ":", "end"];
const FLOW_ENDS: readonly TokenKind[] = [",", ":", "]", "}"];
const DOCUMENT_ENDS: readonly TokenKind[] = ["directive", "document", "documentEnd", "textEnd"];

/** Where a node stands, as far as that says what it may be. */
type Context = "block" | "value" | "flow";

interface Properties {
  readonly from: number;
  readonly anchor: string | undefined;
  readonly tag: string | undefined;
}

class Parser {
  readonly #tokens: Tokens;
  readonly #anchors = new Map<string, YamlNode>();
  #nodes = 0;
  #aliases = 0;
  #end = 0;

  constructor(text: string) {
    this.#tokens = new Tokens(text);
  }

  document(): { root: YamlNode | undefined; rest: number | undefined; aliases: number } {
    const isDirected = this.#isNext("directive");
    while (this.#isNext("directive")) this.#checkDirective(this.#take());
    if (this.#isNext("document")) this.#take();
    else if (isDirected) throw this.#unexpected("a directive without its document");
    else if (this.#isNext("documentEnd")) throw this.#unexpected("an end without a document");
    const root = DOCUMENT_ENDS.includes(this.#peek().kind) ? undefined : this.#node("block");
    return { root, rest: this.#rest(), aliases: this.#aliases };
  }

  /** Where a second document begins, whatever is in it. */
  #rest(): number | undefined {
    const next = this.#peek();
    if (next.kind === "document") return next.from;
    if (next.kind === "textEnd") return undefined;
    if (next.kind !== "documentEnd") throw this.#unexpected("Unexpected content behind the document's value");
    this.#take();
    const second = attempt(() => this.#peek());
    return second.ok && second.value.kind === "textEnd" ? undefined : next.to;
  }

  #checkDirective({ text, from }: Token): void {
    if (!/^%YAML[ \t]+1\.\d+[ \t]*(?:#|$)/.test(text))
      throw new YamlError(from, "a directive that Kubernetes does not read");
  }

  #peek(): Token {
    return this.#tokens.peek();
  }

  #isNext(kind: TokenKind): boolean {
    return this.#tokens.peek().kind === kind;
  }

  #take(): Token {
    const token = this.#tokens.take();
    if (token.to > token.from) this.#end = token.to;
    return token;
  }

  #unexpected(reason: string): YamlError {
    return new YamlError(this.#peek().from, reason);
  }

  #node(context: Context): YamlNode {
    if (++this.#nodes > MAX_NODES) throw this.#unexpected("it has too many values");
    if (this.#isNext("alias")) return this.#alias();
    const properties = this.#properties();
    const next = this.#peek();
    if (next.kind === "scalar") {
      this.#take();
      const { from: start, to: end, text, style = "plain" } = next;
      return this.#named({ kind: "scalar", ...properties, start, end, text, style });
    }
    if (next.kind === "[") return this.#flowList(properties);
    if (next.kind === "{") return this.#flowMapping(properties);
    if (context !== "flow") {
      if (next.kind === "list") return this.#blockList(properties, true);
      if (next.kind === "mapping") return this.#blockMapping(properties);
      if (next.kind === "-" && context === "value") return this.#blockList(properties, false);
    }
    if (properties.anchor === undefined && properties.tag === undefined) {
      throw this.#unexpected(next.kind === "textEnd" ? "Unexpected end" : "Unexpected content");
    }
    return this.#named(this.#empty(properties));
  }

  #alias(): YamlNode {
    const { from, to, text } = this.#take();
    const target = this.#anchors.get(text);
    if (target === undefined) throw new YamlError(from, "it has a YAML alias without an anchor");
    this.#aliases++;
    return { kind: "alias", from, start: from, end: to, anchor: undefined, tag: undefined, target };
  }

  #properties(): Properties {
    const { from } = this.#peek();
    let anchor: string | undefined;
    let tag: string | undefined;
    for (let next = this.#peek(); next.kind === "anchor" || next.kind === "tag"; next = this.#peek()) {
      if ((next.kind === "anchor" ? anchor : tag) !== undefined)
        throw this.#unexpected("a value with two anchors or tags");
      if (next.kind === "anchor") anchor = next.text;
      else tag = tagOf(next.text, next.from);
      this.#take();
    }
    return { from, anchor, tag };
  }

  /** An empty scalar behind what was taken last. */
  #empty(properties?: Properties): ScalarNode {
    const at = this.#end;
    return {
      kind: "scalar",
      from: properties?.from ?? at,
      start: at,
      end: at,
      anchor: properties?.anchor,
      tag: properties?.tag,
      text: "",
      style: "plain",
    };
  }

  /** A node that aliases may name from now on. */
  #named<T extends YamlNode>(node: T): T {
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    return node;
  }

  #blockList(properties: Properties, isIndented: boolean): YamlNode {
    const { from: start } = isIndented ? this.#take() : this.#peek();
    const items: YamlNode[] = [];
    const dashes: number[] = [];
    const node = this.#named({ kind: "list" as const, ...properties, start, end: start, isFlow: false, items, dashes });
    while (this.#isNext("-")) {
      dashes.push(this.#take().to);
      const isEmpty = this.#isNext("-") || BLOCK_ENDS.includes(this.#peek().kind);
      items.push(isEmpty ? this.#empty() : this.#node("block"));
    }
    if (isIndented) this.#endBlock("a list's entry");
    node.end = this.#end;
    return node;
  }

  #endBlock(wanted: string): void {
    if (!this.#isNext("end")) throw this.#unexpected(`${wanted} was expected here`);
    this.#take();
  }

  #blockMapping(properties: Properties): YamlNode {
    const { from: start } = this.#take();
    const pairs: YamlPair[] = [];
    const node = this.#named({ kind: "mapping" as const, ...properties, start, end: start, isFlow: false, pairs });
    while (this.#isNext("?") || this.#isNext(":")) {
      const { from } = this.#peek();
      let key: YamlNode | undefined;
      if (this.#isNext("?")) {
        this.#take();
        if (!BLOCK_ENDS.includes(this.#peek().kind)) key = this.#node("value");
      }
      pairs.push(this.#pair(from, key ?? this.#empty(), "value", BLOCK_ENDS));
    }
    this.#endBlock("a key");
    node.end = this.#end;
    return node;
  }

  /** The rest of a pair whose key was read. */
  #pair(from: number, key: YamlNode, context: Context, ends: readonly TokenKind[]): YamlPair {
    if (!this.#isNext(":")) return { from, key, colon: this.#end, value: this.#empty() };
    const { to: colon } = this.#take();
    const isEmpty = ends.includes(this.#peek().kind);
    return { from, key, colon, value: isEmpty ? this.#empty() : this.#node(context) };
  }

  #flowList(properties: Properties): YamlNode {
    const { from: start } = this.#take();
    const items: YamlNode[] = [];
    const node = this.#named({
      kind: "list" as const,
      ...properties,
      start,
      end: start,
      isFlow: true,
      items,
      dashes: [],
    });
    while (!this.#isNext("]")) {
      if (items.length > 0) this.#comma("]");
      if (this.#isNext("]")) break;
      items.push(this.#isNext("?") ? this.#singlePair() : this.#node("flow"));
    }
    this.#take();
    node.end = this.#end;
    return node;
  }

  /** `a: b` in a flow list is a mapping of its own. */
  #singlePair(): MappingNode {
    const { from } = this.#take();
    const key = FLOW_ENDS.includes(this.#peek().kind) ? this.#empty() : this.#node("flow");
    const pair = this.#pair(from, key, "flow", [",", "]"]);
    const { end } = pair.value;
    return { kind: "mapping", from, start: from, end, anchor: undefined, tag: undefined, isFlow: true, pairs: [pair] };
  }

  #flowMapping(properties: Properties): YamlNode {
    const { from: start } = this.#take();
    const pairs: YamlPair[] = [];
    const node = this.#named({ kind: "mapping" as const, ...properties, start, end: start, isFlow: true, pairs });
    while (!this.#isNext("}")) {
      if (pairs.length > 0) this.#comma("}");
      if (this.#isNext("}")) break;
      const { from } = this.#peek();
      const isKey = this.#isNext("?");
      if (isKey) this.#take();
      const key = isKey && FLOW_ENDS.includes(this.#peek().kind) ? this.#empty() : this.#node("flow");
      // Without a mark of a key, what stands there is a key alone.
      pairs.push(
        isKey ? this.#pair(from, key, "flow", [",", "}"]) : { from, key, colon: this.#end, value: this.#empty() },
      );
    }
    this.#take();
    node.end = this.#end;
    return node;
  }

  #comma(close: string): void {
    if (!this.#isNext(",")) throw this.#unexpected(`a comma or ${close} was expected here`);
    this.#take();
  }
}
