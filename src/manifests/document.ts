/**
 * Parses one document of a manifest the way Kubernetes reads it: YAML 1.1 as go-yaml has it (`yes` is true, `<<` merges,
 * dates stay texts), JSON being a part of YAML.
 */
import { isObject, type JsonValue } from "../json/json.ts";
import { readYaml, type YamlText } from "../yaml/read.ts";
import { type Chunk, linesIn } from "./stream.ts";
import { objectsOf } from "./workload.ts";

/** A document that could be read. */
export interface Manifest {
  readonly ok: true;
  readonly chunk: Chunk;
  /** Its tree. */
  readonly yaml: YamlText;
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
  const yaml = readYaml(chunk.text);
  if (!yaml.ok) return broken(yaml.at, reasonOf(chunk.text, yaml.at, yaml.reason));
  if (isLarge && hasLargeObject(yaml.value))
    return broken(0, "an object of the List is larger than the 3 MiB that an API server takes");
  return { ok: true, chunk, yaml, value: yaml.value };
}

/** Whether the API server would not take the objects of a List one by one. */
function hasLargeObject(value: JsonValue): boolean {
  return objectsOf(value).some(({ object }) => JSON.stringify(object).length > MAX_DOCUMENT);
}

/**
 * The same manifest without its tree, which is parsed again where somebody asks for it: a tree weighs ten times as much
 * as the text.
 */
export function withoutTree({ chunk, value }: Omit<Manifest, "yaml">): Manifest {
  return {
    ok: true,
    chunk,
    value,
    get yaml() {
      if (lastTree?.chunk !== chunk) {
        const parsed = parseManifest(chunk);
        if (!parsed.ok) throw new Error(`a document that was read cannot be read again: ${parsed.reason}`);
        lastTree = parsed;
      }
      return lastTree.yaml;
    },
  };
}

/** Whoever asks for a tree asks again soon. */
let lastTree: Manifest | undefined;

/** The parser's words, with what people do wrong most often said first. */
function reasonOf(text: string, offset: number, message: string): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(start, end === -1 ? undefined : end);
  const said = message;
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
