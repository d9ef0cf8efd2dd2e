/**
 * The text of the annotation proxy.istio.io/config, read and edited without disturbing what a person wrote there.
 *
 * How Istio reads it (measured, and from its source): YAML 1.1, of which JSON is a part; of duplicate keys the last one
 * counts; camelCase and snake_case both name a field, camelCase counts if both stand there; an empty text is an empty
 * mapping; unknown fields are ignored, wrong types refuse the pod.
 */
import { isObject, type JsonObject, type JsonValue, valueAt, withKey } from "../json/json.ts";
import { editYaml } from "../yaml/edit.ts";
import type { YamlNode } from "../yaml/node.ts";
import { ownKeys, readYaml, writtenTexts } from "../yaml/read.ts";
import { plainBool } from "../yaml/resolve.ts";
import { memoized } from "./memo.ts";
import { wrongTypeIn } from "./proxy-config-types.ts";
import { EXIT_ON_ZERO } from "./proxy-variables.ts";
import { spellings } from "./spellings.ts";

/** A value in the annotation: a scalar as its text, or a list of such texts. */
export type ConfigValue = string | readonly string[];

/** Where a value stands: field names in camelCase; under proxyMetadata a variable's name. */
export type ConfigPath = readonly [string] | readonly [string, string];

/** One change of the annotation. */
export interface ConfigEdit {
  readonly path: ConfigPath;
  /**
   * What is set, under the spelling of a key that is there already. Undefined removes the value, and its parent mapping
   * if that is empty then.
   */
  readonly value: string | boolean | readonly string[] | undefined;
}

/** The annotation, parsed. It does not change. */
export interface ProxyConfig {
  /** The text that was parsed. */
  readonly text: string;
  /** Variables under proxyMetadata that Istio would refuse, since YAML 1.1 reads them as a bool or a number. */
  readonly unquoted: readonly string[];
  /** A field with a type that Istio's decoder refuses, and what it wants there; undefined where it takes all. */
  readonly refused: { readonly field: string; readonly wants: string } | undefined;
  /** The value at a path; undefined where there is none, or where it is no scalar and no list. */
  get(path: ConfigPath): ConfigValue | undefined;
}

/** The annotation, or why it cannot be used. */
export type ParsedProxyConfig = { readonly ok: true; readonly config: ProxyConfig } | Unusable;

/** Why the annotation cannot be used: it is no mapping of YAML, or larger than what is read. */
export type Unusable = { readonly ok: false; readonly reason: string } | { readonly ok: false; readonly bytes: number };

/** Largest annotation that is read, bytes of UTF-8: what a stranger can make this program parse as YAML is bounded. */
export const MAX_CONFIG = 16 * 1024;

/**
 * Parses the annotation.
 *
 * @param text undefined where the pod has none
 */
export function parseProxyConfig(text: string | undefined): ParsedProxyConfig {
  return parsed(text ?? "");
}

const parsed = memoized((text: string): ParsedProxyConfig => {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_CONFIG) return { ok: false, bytes };
  const read = readYaml(text);
  if (!read.ok) return { ok: false, reason: /^it has /.test(read.reason) ? read.reason : brokenAt(text, read) };
  const { root, value } = read;
  if (value !== null && !isMapping(value)) {
    return { ok: false, reason: `it is a ${Array.isArray(value) ? "list" : "single value"}, not a mapping` };
  }
  const wrong = wrongStructure(value ?? {}, root);
  if (wrong !== undefined) return { ok: false, reason: wrong };
  const texts = writtenTexts(root);
  const metadata = at(withQuotedMetadata(value ?? {}, texts), "proxyMetadata");
  const unquoted = Object.entries(at(value, "proxyMetadata") ?? {}).filter(([, variable]) => isUnquoted(variable));
  return {
    ok: true,
    config: {
      text,
      unquoted: unquoted.map(([name]) => name),
      refused: wrongTypeIn(value ?? {}),
      get: (path) => valueAtPath(path[0] === "proxyMetadata" ? { proxyMetadata: metadata ?? null } : texts, path),
    },
  };
});

function brokenAt(text: string, { at: offset, reason }: { at: number; reason: string }): string {
  const before = text.slice(0, offset).split("\n");
  return `it is not YAML: ${reason} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** What an edit would have to remove, since Istio refuses it, or would put something in front of. */
function wrongStructure(value: JsonObject, root: YamlNode | undefined): string | undefined {
  const written = new Set(ownKeys(root));
  for (const name of ["proxyMetadata", "proxyStatsMatcher"]) {
    const inner = at(value, name) ?? null;
    if (inner === null) continue;
    if (!isMapping(inner)) return `its ${name} is not a mapping`;
    if (!written.has(keyIn(value, name))) return `its ${name} comes from a YAML merge key`;
  }
  const isTextList = (list: JsonValue) =>
    list === null || (Array.isArray(list) && list.every((element) => typeof element === "string"));
  const wrong = Object.entries(at(value, "proxyStatsMatcher") ?? {}).find(([, list]) => !isTextList(list));
  return wrong && `its proxyStatsMatcher.${wrong[0]} is not a list of texts`;
}

/** A number that is kept as it is written is an object to JavaScript. */
function isMapping(value: JsonValue): value is JsonObject {
  return isObject(value) && !JSON.isRawJSON(value);
}

function isUnquoted(value: JsonValue): boolean {
  return typeof value === "boolean" || typeof value === "number" || JSON.isRawJSON(value);
}

/** The key under which a field stands. */
function keyIn(object: JsonValue | undefined, name: string): string {
  return spellings(name).find((key) => valueAt(object, key) !== undefined) ?? name;
}

function at(object: JsonValue | undefined, name: string): JsonValue | undefined {
  return valueAt(object, keyIn(object, name));
}

/** The key of a path's second step. Names under proxyMetadata are variables and have one spelling only. */
function childKey(parent: JsonValue | undefined, [first, second]: ConfigPath): string {
  if (second === undefined) return first;
  return first === "proxyMetadata" ? second : keyIn(parent, second);
}

function valueAtPath(texts: JsonValue, path: ConfigPath): ConfigValue | undefined {
  const parent = at(texts, path[0]);
  const value = path.length === 1 ? parent : valueAt(parent, childKey(parent, path));
  if (Array.isArray(value)) return value.filter((element) => typeof element === "string");
  return typeof value === "string" ? value : undefined;
}

/**
 * The annotation with changes; what is not changed stays as it is written. Unquoted variables are quoted.
 *
 * @returns the new text; undefined where the annotation could not be written without changing what else it says
 */
export function editProxyConfig({ text }: ProxyConfig, edits: readonly ConfigEdit[]): string | undefined {
  return edited(`${JSON.stringify(edits.map(({ path, value }) => [path, value]))}\n${text}`);
}

const edited = memoized((key: string): string | undefined => {
  // JSON has no line feed of its own, so the first one ends the edits.
  const end = key.indexOf("\n");
  const read = readYaml(key.slice(end + 1));
  if (!read.ok || !isMapping(read.value ?? {})) throw new Error("an annotation that cannot be used was edited");
  const edits = JSON.parse(key.slice(0, end)) as [ConfigPath, JsonValue][];
  const quoted = withQuotedMetadata((read.value ?? {}) as JsonObject, writtenTexts(read.root));
  return editYaml(
    read,
    edits.reduce((value, [path, wanted]) => withEdit(value, path, wanted ?? undefined), quoted),
  );
});

function withEdit(value: JsonObject, path: ConfigPath, wanted: JsonValue | undefined): JsonObject {
  const [name] = path;
  const without = () => spellings(name).reduce((object, key) => withKey(object, key, undefined), value);
  if (path.length === 1) return wanted === undefined ? without() : withKey(value, keyIn(value, name), wanted);
  const parent = at(value, name);
  const mapping = parent !== undefined && isMapping(parent) ? parent : {};
  const changed = withKey(mapping, childKey(mapping, path), wanted);
  if (changed === mapping) return value;
  return Object.keys(changed).length === 0 ? without() : withKey(value, keyIn(value, name), changed);
}

/** Go reads no `yes` or `on`: quoted as it stands, the proxy's agent would take it for false. */
function withQuotedMetadata(value: JsonObject, texts: JsonValue): JsonObject {
  const metadata = at(value, "proxyMetadata") ?? null;
  if (!isMapping(metadata)) return value;
  const written = at(texts, "proxyMetadata");
  const quoted = Object.entries(metadata).map(([name, variable]) => {
    const text = valueAt(written, name);
    if (!isUnquoted(variable) || typeof text !== "string") return [name, variable];
    return [name, name === EXIT_ON_ZERO ? plainBool(text) : text];
  });
  return withKey(value, keyIn(value, "proxyMetadata"), Object.fromEntries(quoted));
}
