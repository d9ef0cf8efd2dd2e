/**
 * Parses one document of a manifest the way Kubernetes reads it: YAML 1.1 as go-yaml has it (`yes` is true, `<<` merges,
 * dates stay texts), JSON being a part of YAML.
 */
import { type Document, isScalar, type Node, parseDocument, type Tags, visit } from "yaml";
import { isObject, type JsonValue } from "../pod/json.ts";
import { aliasProblem } from "../pod/yaml-aliases.ts";
import { type Chunk, linesIn } from "./stream.ts";
import { objectsOf } from "./workload.ts";

/** A document that could be read. */
export interface Manifest {
  readonly ok: true;
  readonly chunk: Chunk;
  readonly document: Document<Node>;
  /** Its value; null for a document of comments only. */
  readonly value: JsonValue;
}

/** A document that could not be read. */
export interface BrokenManifest {
  readonly ok: false;
  readonly chunk: Chunk;
  /** Where in the stream; the first line and column are 1. */
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

/** Largest object, characters: the API server takes no request over 3 MiB. */
export const MAX_DOCUMENT = 3 * 1024 * 1024;

/** Largest List, characters: `kubectl get -A` prints more than one request holds. Its tree weighs up to 40 times that. */
const MAX_LIST = 32 * 1024 * 1024;

/** The kind of a whole document, in YAML without indentation, in JSON wherever it stands: what is found is looked at again. */
const LIST = /^kind:[ \t]*["']?\w*List\b|"kind":\s*"\w*List"/m;

/** What may be an alias; an asterisk within a text is none. */
const ALIAS = /(?:^|[\s[{,:-])\*[^\s,\]}]/m;

/** Parses a document. */
export function parseManifest(chunk: Chunk): Manifest | BrokenManifest {
  const broken = (offset: number, reason: string): BrokenManifest => {
    const before = chunk.text.slice(0, offset);
    return {
      ok: false,
      chunk,
      line: chunk.line + linesIn(before),
      column: offset - before.lastIndexOf("\n"),
      reason,
    };
  };
  const isLarge = chunk.text.length > MAX_DOCUMENT;
  if (isLarge && !LIST.test(chunk.text)) {
    return broken(0, "the document is larger than the 3 MiB that an API server takes");
  }
  if (chunk.text.length > MAX_LIST)
    return broken(0, "the List is larger than 32 MiB; split it, by namespace for example");
  const document = parseDocument(chunk.text, {
    version: "1.1",
    customTags: (tags) => tags.filter(isKubernetes),
    prettyErrors: false,
    logLevel: "error",
  });
  const [error] = document.errors;
  if (error !== undefined) return broken(error.pos[0], reasonOf(chunk.text, error.pos[0], error.message));
  const key = badKey(document as Document<Node>, chunk.text);
  if (key !== undefined) return broken(key, reasonOf(chunk.text, key, "a key must be a text"));
  const aliases = ALIAS.test(chunk.text) ? aliasProblem(document as Document<Node>) : undefined;
  if (aliases !== undefined) return broken(0, aliases);
  try {
    const value = document.toJS() as JsonValue;
    if (isLarge && hasLargeObject(value))
      return broken(0, "an object of the List is larger than the 3 MiB that an API server takes");
    return { ok: true, chunk, document: document as Document<Node>, value };
  } catch (thrown) {
    return broken(0, (thrown instanceof Error ? thrown.message : String(thrown)).split("\n")[0] ?? "");
  }
}

/** Whether the API server would not take the objects of a List one by one. */
function hasLargeObject(value: JsonValue): boolean {
  return objectsOf(value).some(({ object }) => JSON.stringify(object).length > MAX_DOCUMENT);
}

/**
 * The same manifest without its tree, which is parsed again where somebody asks for it: a tree weighs ten times as much
 * as the text.
 */
export function withoutTree({ chunk, value }: Omit<Manifest, "document">): Manifest {
  return {
    ok: true,
    chunk,
    value,
    get document() {
      if (lastTree?.chunk !== chunk) {
        const parsed = parseManifest(chunk);
        if (!parsed.ok) throw new Error(`a document that was read cannot be read again: ${parsed.reason}`);
        lastTree = parsed;
      }
      return lastTree.document;
    },
  };
}

/** Whoever asks for a tree asks again soon. */
let lastTree: Manifest | undefined;

/** Whether a document is JSON, so that what is added to it must be JSON as well. */
export function isJson(text: string): boolean {
  const start = text.trimStart();
  if (!start.startsWith("{") && !start.startsWith("[")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** go-yaml takes dates for texts where nobody asks for a time, and knows no numbers to base 60. */
function isKubernetes(tag: Tags[number]): boolean {
  return (
    typeof tag !== "object" ||
    (tag.tag !== "tag:yaml.org,2002:timestamp" && !("format" in tag && tag.format === "TIME"))
  );
}

/** Where a key is a collection, which YAML allows and Kubernetes does not; `{{ x }}` is one. */
function badKey(document: Document<Node>, text: string): number | undefined {
  if (!/\{\s*[{[]|\?\s/.test(text)) return undefined;
  let offset: number | undefined;
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) || (key as Node | null)?.range === undefined) return undefined;
      offset = (key as Node).range?.[0];
      return visit.BREAK;
    },
  });
  return offset;
}

/** The parser's words, with what people do wrong most often said first. */
function reasonOf(text: string, offset: number, message: string): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(start, end === -1 ? undefined : end);
  const said = message.split("\n")[0]?.replace(/[:.]$/, "") ?? "";
  // The parser is recursive, and says so in the engine's words.
  if (/call stack/.test(said)) return "nested too deeply, as no Kubernetes object is";
  if (isTemplate(line)) {
    return `is a Helm template that is not rendered (run helm template first): ${said}`;
  }
  if (/^[ ]*\t/.test(line)) return `a tab in the indentation; YAML wants spaces: ${said}`;
  return said;
}

/** Whether a line has an action of a Go template, or the end of one. */
function isTemplate(line: string): boolean {
  const start = line.indexOf("{{");
  if (start === -1) return line.endsWith("}}") && !line.includes("{");
  return line.lastIndexOf("}}") > start || line.includes("{{-");
}

/** The kind and name of an object, for messages: `Deployment shop/web`. */
export function titleOf(value: JsonValue): string {
  if (!isObject(value)) return "a document";
  const metadata = isObject(value.metadata ?? null) ? (value.metadata as Record<string, JsonValue>) : {};
  const name = String(metadata.name ?? metadata.generateName ?? "?");
  const namespace = typeof metadata.namespace === "string" ? `${metadata.namespace}/` : "";
  return `${String(value.kind ?? "object")} ${namespace}${name}`;
}
