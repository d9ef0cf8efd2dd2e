/**
 * proxy.istio.io/config written as YAML: comments, key order and the spelling of every untouched scalar stay.
 *
 * It is parsed with YAML's failsafe schema, in which a plain scalar is the text that was written: `1_000`, `yes` and
 * `0x1F` come out as they went in. What YAML 1.1 would make of them only matters under proxyMetadata, where Istio
 * refuses anything that is not a text.
 */
import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  type ScalarTag,
  visit,
  YAMLMap,
  YAMLSeq,
} from "yaml";
import { withSpacing } from "./comment-spacing.ts";
import type {
  ConfigEdit,
  ConfigPath,
  ConfigValue,
  ConfigValues,
  EditableDocument,
  NewValue,
  ParsedDocument,
} from "./proxy-config-document.ts";
import { EXIT_ON_ZERO } from "./proxy-variables.ts";
import { spellings } from "./spellings.ts";
import { needsQuotes, plainBool } from "./yaml-1.1.ts";
import { aliasesOf, aliasProblem } from "./yaml-aliases.ts";

/** The tag of what is a text, however it looks. */
const TEXT = "tag:yaml.org,2002:str";

/** A configuration with nothing in it. */
export function emptyYamlDocument(): EditableDocument {
  return new YamlDocument(read(""), new YAMLMap(), "");
}

/** Parses the annotation as YAML; it is not empty. */
export function yamlDocument(text: string): ParsedDocument {
  const document = read(text);
  const problem = document.errors[0];
  if (problem?.code === "MULTIPLE_DOCS") return refused("it has more than one YAML document");
  if (problem?.message.includes("call stack")) return refused("it is nested too deeply");
  if (problem !== undefined) return refused(`it is not YAML: ${problem.message} at ${placeOf(text, problem.pos[0])}`);
  const root: unknown = document.contents;
  if (root === null || (isScalar(root) && (root.value === "" || root.value === "null" || root.value === "~"))) {
    return { ok: true, document: new YamlDocument(document, new YAMLMap(), text) };
  }
  if (!isMap<Node, Node>(root)) return refused(`it is a ${isSeq(root) ? "list" : "single value"}, not a mapping`);
  const wrong = text.includes("*") ? aliasProblem(document) : undefined;
  if (wrong !== undefined) return refused(wrong);
  return { ok: true, document: new YamlDocument(document, root, text) };
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function refused(reason: string): ParsedDocument {
  return { ok: false, reason };
}

/** `? key` without a value leaves a null in the document, which the failsafe schema alone cannot write. */
const missingValue: ScalarTag = {
  tag: "tag:yaml.org,2002:null",
  default: true,
  // No plain scalar is ever read as null: what is written stays a text.
  test: /(?!)/,
  identify: (value) => value === null,
  resolve: () => null,
  stringify: () => "",
};

function read(text: string): Document<Node> {
  return parseDocument(text, {
    schema: "failsafe",
    customTags: (tags) => [...tags, missingValue],
    uniqueKeys: false,
    logLevel: "error",
    prettyErrors: false,
  });
}

type Mapping = YAMLMap<Node, Node>;

/** Block scalars, explicit keys, escapes, anchors and tags: what the yaml package may write otherwise than it was read. */
const INTRICATE = /[|>&*!\\]|^[ \t]*\?/m;

class YamlDocument implements EditableDocument {
  readonly #document: Document<Node>;
  readonly #root: Mapping;
  readonly #indent: number;
  readonly #text: string;
  /** Anchors that have aliases. */
  readonly #aliased: ReadonlySet<string>;
  /** Whether lists are indented below their keys. */
  readonly #indentSeq: boolean;

  constructor(document: Document<Node>, root: Mapping, text: string) {
    this.#document = document;
    this.#root = root;
    this.#text = text;
    this.#indent = /^( {1,8})[^ #\n-]/m.exec(text)?.[1]?.length ?? 2;
    this.#aliased = new Set(text.includes("*") ? aliasesOf(document) : []);
    this.#indentSeq = !/^( *)[^ #\n\r-][^\n\r\u2028\u2029]*:[ \t]*\r?\n\1- /m.test(text);
    document.contents = root;
  }

  values(): ConfigValues {
    const values = new Map<string, ConfigValue | Map<string, ConfigValue>>();
    for (const pair of this.#pairs(this.#root)) {
      const value = this.#resolve(pair.value);
      const read = isMap<Node, Node>(value) ? this.#inner(value) : this.#read(value);
      // The last of duplicate keys counts, also where it says nothing.
      if (read === undefined) values.delete(keyOf(pair));
      else values.set(keyOf(pair), read);
    }
    return values;
  }

  #inner(mapping: Mapping): Map<string, ConfigValue> {
    const values = new Map<string, ConfigValue>();
    for (const pair of this.#pairs(mapping)) {
      const read = this.#read(this.#resolve(pair.value));
      if (read === undefined) values.delete(keyOf(pair));
      else values.set(keyOf(pair), read);
    }
    return values;
  }

  /** The pairs of a mapping: those of its merge keys (`<<: *base`) first, since its own count more. */
  #pairs(mapping: Mapping): readonly Pair<Node, Node | null>[] {
    const merged = mapping.items.filter(isMerge).flatMap((pair) => {
      const value = this.#resolve(pair.value);
      const bases = isSeq<Node>(value) ? value.items.map((item) => this.#resolve(item)).toReversed() : [value];
      return bases.flatMap((base) => (isMap<Node, Node>(base) ? base.items : []));
    });
    return merged.length === 0 ? mapping.items : [...merged, ...mapping.items.filter((pair) => !isMerge(pair))];
  }

  #read(value: Node | undefined): ConfigValue | undefined {
    if (isScalar(value)) return typeof value.value === "string" && !isNull(value) ? value.value : undefined;
    if (!isSeq(value)) return undefined;
    return value.items.flatMap((item) => textOf(this.#resolve(item as Node)) ?? []);
  }

  wrongType(): string | undefined {
    const metadata = this.#resolve(this.#pairFor("proxyMetadata")?.value);
    const matcher = this.#resolve(this.#pairFor("proxyStatsMatcher")?.value);
    if (isWrong(metadata)) return "its proxyMetadata is not a mapping";
    if (isWrong(matcher)) return "its proxyStatsMatcher is not a mapping";
    for (const name of ["proxyMetadata", "proxyStatsMatcher"]) {
      // An edit would put a mapping of its own in front of it.
      if (
        this.#pairFor(name) !== undefined &&
        this.#mapping(name) === undefined &&
        !isNullNode(this.#resolve(this.#pairFor(name)?.value))
      ) {
        return `its ${name} comes from a YAML merge key`;
      }
    }
    if (!isMap<Node, Node>(matcher)) return undefined;
    const wrong = matcher.items.find((pair) => !this.#isTextList(this.#resolve(pair.value)));
    return wrong && `its proxyStatsMatcher.${keyOf(wrong)} is not a list of texts`;
  }

  /** The pair of a field that counts, also where a merge key brings it. */
  #pairFor(name: string): Pair<Node, Node | null> | undefined {
    const pairs = this.#pairs(this.#root);
    return spellings(name)
      .map((spelling) => pairs.findLast((pair) => keyOf(pair) === spelling))
      .find((pair) => pair !== undefined);
  }

  #isTextList(value: Node | undefined): boolean {
    if (isNullNode(value)) return true;
    return isSeq<Node>(value) && value.items.every((item) => isScalar(this.#resolve(item)));
  }

  apply({ path, value }: ConfigEdit): void {
    if (value === undefined) this.#remove(path);
    else this.#set(path, value);
  }

  #set(path: ConfigPath, value: NewValue): void {
    let parent: Mapping | undefined = this.#root;
    if (path.length === 2) {
      parent = this.#mapping(path[0]);
      if (parent === undefined) {
        parent = new YAMLMap<Node, Node>();
        this.#put(this.#root, spellings(path[0]), parent);
      }
    }
    this.#put(parent, namesOf(path), nodeFor(path, value));
  }

  #remove(path: ConfigPath): void {
    const parent = path.length === 1 ? this.#root : this.#mapping(path[0]);
    if (parent === undefined) return;
    this.#drop(parent, namesOf(path));
    if (path.length === 2 && parent.items.length === 0) this.#drop(this.#root, spellings(path[0]));
  }

  #put(mapping: Mapping, names: readonly string[], value: Node): void {
    const pair = pairAt(mapping, names);
    if (pair === undefined) {
      const name = new Scalar(names[0] ?? "");
      if (mapping.flow && mapping.items.some((item) => isScalar(item.key) && item.key.type === "QUOTE_DOUBLE")) {
        name.type = "QUOTE_DOUBLE";
      }
      mapping.add({ key: name, value } as unknown as Pair<Node, Node>);
      return;
    }
    if (isSeq<Node>(pair.value) && isSeq<Node>(value)) {
      const old = new Map(pair.value.items.map((item) => [textOf(item), item]));
      const items = new Set(value.items.map((item) => old.get(textOf(item)) ?? item));
      for (const item of pair.value.items) if (!items.has(item)) this.#release(item);
      pair.value.items = [...items];
      return;
    }
    if (isScalar(pair.value) && pair.value.comment && isScalar(value)) value.comment = pair.value.comment;
    this.#release(pair.value);
    pair.value = value;
  }

  #drop(mapping: Mapping, names: readonly string[]): void {
    for (const item of mapping.items) if (names.includes(keyOf(item))) this.#release(item.value);
    mapping.items = mapping.items.filter((item) => !names.includes(keyOf(item)));
  }

  /** Gives every alias of a node, or of a part of it, a copy of its own, before the node goes or changes. */
  #release(node: Node | null | undefined): void {
    if (this.#aliased.size === 0) return;
    visit(node ?? null, (_, part) => {
      if (!(isScalar(part) || isMap(part) || isSeq(part)) || !this.#aliased.has(part.anchor ?? "")) return;
      visit(this.#document, {
        Alias: (_key, alias) =>
          alias.source === part.anchor && alias.resolve(this.#document) === part ? withoutAnchor(part) : undefined,
      });
      delete part.anchor;
    });
  }

  quoteMetadata(): readonly string[] {
    const metadata = this.#mapping("proxyMetadata");
    if (metadata === undefined) return [];
    return metadata.items.flatMap((pair) => {
      const value = this.#resolve(pair.value);
      if (!isScalar(value) || value.type !== "PLAIN" || value.tag === TEXT || !needsQuotes(String(value.value)))
        return [];
      // Elsewhere the same value may have to stay a bool or a number.
      if (value === pair.value) this.#release(value);
      else pair.value = withoutAnchor(value);
      const own = pair.value as Scalar;
      own.type = "QUOTE_DOUBLE";
      // Go reads no `yes` or `on`: quoted as it stands, the proxy's agent would take it for false.
      if (keyOf(pair) === EXIT_ON_ZERO) own.value = plainBool(String(own.value));
      delete own.tag;
      return [keyOf(pair)];
    });
  }

  print(): string | undefined {
    const printed = this.#document.toString({
      lineWidth: 0,
      flowCollectionPadding: false,
      indent: this.#indent,
      indentSeq: this.#indentSeq,
    });
    if (INTRICATE.test(this.#text) && !this.#says(printed)) return undefined;
    return withSpacing(this.#text, printed);
  }

  /** Whether a text says what the document says, for YAML 1.1 too, in which some characters end a line. */
  #says(printed: string): boolean {
    if (/[\u0085\u2028\u2029]/.test(printed)) return false;
    const again = read(printed);
    return again.errors.length === 0 && isDeepStrictEqual(again.toJS(), this.#document.toJS());
  }

  #resolve(node: Node | null | undefined): Node | undefined {
    if (isAlias(node)) return node.resolve(this.#document);
    return node ?? undefined;
  }

  #mapping(name: string): Mapping | undefined {
    const value = this.#resolve(pairAt(this.#root, spellings(name))?.value);
    return isMap<Node, Node>(value) ? value : undefined;
  }
}

function namesOf(path: ConfigPath): readonly string[] {
  const [first, second] = path;
  if (second === undefined) return spellings(first);
  return first === "proxyMetadata" ? [second] : spellings(second);
}

/** A plain null, which Istio reads as a field that is not there. */
function isNull(scalar: Scalar): boolean {
  return scalar.type === Scalar.PLAIN && scalar.tag !== TEXT && /^(?:~|null|Null|NULL|)$/.test(String(scalar.value));
}

function isNullNode(node: Node | undefined): boolean {
  return node === undefined || (isScalar(node) && (node.value === null || isNull(node)));
}

/** Neither a mapping nor nothing. */
function isWrong(node: Node | undefined): boolean {
  return !isMap(node) && !isNullNode(node);
}

function textOf(node: Node | undefined): string | undefined {
  return isScalar(node) ? String(node.value) : undefined;
}

function isMerge({ key }: Pair<Node, Node | null>): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN";
}

function keyOf(pair: Pair<Node, Node | null>): string {
  return textOf(pair.key) ?? "";
}

/** The pair that counts: the last one under the first spelling that is there. */
function pairAt(mapping: Mapping, names: readonly string[]): Pair<Node, Node> | undefined {
  for (const name of names) {
    const pair = mapping.items.findLast((item) => keyOf(item) === name);
    if (pair !== undefined) return pair as Pair<Node, Node>;
  }
  return undefined;
}

function withoutAnchor(node: Scalar | YAMLMap | YAMLSeq): Node {
  const copy = node.clone() as Scalar;
  delete copy.anchor;
  return copy;
}

function nodeFor(path: ConfigPath, value: NewValue): Node {
  if (typeof value === "boolean") return new Scalar(String(value));
  if (typeof value === "string") {
    const scalar = new Scalar(value);
    if (path[0] === "proxyMetadata" && needsQuotes(value)) scalar.type = "QUOTE_DOUBLE";
    return scalar;
  }
  const list = new YAMLSeq<Node>();
  for (const text of value) {
    const scalar = new Scalar(text);
    if (needsQuotes(text)) scalar.type = "QUOTE_DOUBLE";
    list.add(scalar);
  }
  return list;
}
