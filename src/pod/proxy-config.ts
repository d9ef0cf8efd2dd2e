/**
 * The text of the annotation proxy.istio.io/config, read and edited without disturbing what a person wrote there.
 *
 * How Istio reads it (measured, and from its source): YAML 1.1, of which JSON is a part; of duplicate keys the last one
 * counts; camelCase and snake_case both name a field, camelCase counts if both stand there; an empty text is an empty
 * mapping; unknown fields are ignored, wrong types refuse the pod.
 */
import { memoized } from "./memo.ts";
import type {
  ConfigEdit,
  ConfigPath,
  ConfigValue,
  ConfigValues,
  EditableDocument,
  NewValue,
  ParsedDocument,
} from "./proxy-config-document.ts";
import { jsonDocument } from "./proxy-config-json.ts";
import { emptyYamlDocument, yamlDocument } from "./proxy-config-yaml.ts";
import { spellings } from "./spellings.ts";

/** The annotation, parsed. It does not change. */
export interface ProxyConfig {
  /** The text that was parsed. */
  readonly text: string;
  /** Variables under proxyMetadata that Istio would refuse, since YAML 1.1 reads them as a bool or a number. */
  readonly unquoted: readonly string[];
  /** The value at a path; undefined where there is none, or where it is no scalar and no list. */
  get(path: ConfigPath): ConfigValue | undefined;
}

/** The annotation, or why it cannot be used. */
export type ParsedProxyConfig = { readonly ok: true; readonly config: ProxyConfig } | Unusable;

/** Why the annotation cannot be used: it is no mapping of YAML, or larger than what is read. */
export type Unusable = { readonly ok: false; readonly reason: string } | { readonly ok: false; readonly bytes: number };

/**
 * Parses the annotation.
 *
 * @param text undefined where the pod has none
 */
export function parseProxyConfig(text: string | undefined): ParsedProxyConfig {
  return parsed(text ?? "");
}

/** What was parsed last: the edits that follow a moment later need not parse it again. */
let last: { readonly text: string; readonly document: EditableDocument } | undefined;

const parsed = memoized((text: string): ParsedProxyConfig => {
  const result = documentOf(text);
  if (!result.ok) return result;
  const { document } = result;
  const wrong = document.wrongType();
  if (wrong !== undefined) return { ok: false, reason: wrong };
  const unquoted = document.quoteMetadata();
  const values = document.values();
  last = { text, document };
  return { ok: true, config: { text, unquoted, get: (path) => valueAtPath(values, path) } };
});

function valueAtPath(values: ConfigValues, [first, second]: ConfigPath): ConfigValue | undefined {
  const value = firstOf(values, spellings(first));
  if (second === undefined) return value instanceof Map ? undefined : (value as ConfigValue | undefined);
  if (!(value instanceof Map)) return undefined;
  // Names under proxyMetadata are variables and have one spelling only.
  return firstOf(value as ReadonlyMap<string, ConfigValue>, first === "proxyMetadata" ? [second] : spellings(second));
}

function firstOf<T>(values: ReadonlyMap<string, T>, names: readonly string[]): T | undefined {
  const name = names.find((candidate) => values.has(candidate));
  return name === undefined ? undefined : values.get(name);
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
  const document = takeDocument(key.slice(end + 1));
  document.quoteMetadata();
  const edits = JSON.parse(key.slice(0, end)) as [ConfigPath, NewValue | null][];
  for (const [path, value] of edits) document.apply({ path, value: value ?? undefined } as ConfigEdit);
  return document.print();
});

/** A document that nobody else holds. */
function takeDocument(text: string): EditableDocument {
  const held = last;
  last = undefined;
  if (held?.text === text) return held.document;
  const result = documentOf(text);
  if (!result.ok) throw new Error("an annotation that cannot be used was edited");
  return result.document;
}

/** Largest annotation that is read, bytes of UTF-8: what a stranger can make this program parse as YAML is bounded. */
export const MAX_CONFIG = 16 * 1024;

function documentOf(text: string): ParsedDocument | Unusable {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_CONFIG) return { ok: false, bytes };
  if (text.trim() === "") return { ok: true, document: emptyYamlDocument() };
  if (text.trimStart().startsWith("{")) {
    const json = jsonDocument(text);
    if (json !== undefined) return { ok: true, document: json };
  }
  return yamlDocument(text);
}
