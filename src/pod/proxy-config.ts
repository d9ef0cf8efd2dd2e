/**
 * The text of the annotation proxy.istio.io/config, read and edited without disturbing what a person wrote there.
 *
 * How Istio reads it (measured, and from its source): YAML 1.1, of which JSON is a part; of duplicate keys the last one
 * counts; camelCase and snake_case both name a field, camelCase counts if both stand there; an empty text is an empty
 * mapping; unknown fields are ignored, wrong types refuse the pod.
 */
import { jsonProxyConfig } from "./proxy-config-json.ts";
import { yamlProxyConfig } from "./proxy-config-yaml.ts";

/** A value in the annotation: a scalar as its text, or a list of such texts. */
export type ConfigValue = string | readonly string[];

/** Where a value stands: field names in camelCase; under proxyMetadata a variable's name. */
export type ConfigPath = readonly [string] | readonly [string, string];

/** A value to write. Texts under proxyMetadata are always quoted, so that YAML 1.1 reads them as texts. */
export type NewValue = string | boolean | readonly string[];

/** The parsed annotation. Edits change this object only, never the pod. */
export interface ProxyConfig {
  /** The value at a path; undefined where there is none, or where it is no scalar and no list. */
  get(path: ConfigPath): ConfigValue | undefined;
  /** Sets a value, keeping the spelling of a key that is there already. */
  set(path: ConfigPath, value: NewValue): void;
  /** Removes a value, and its parent mapping if that is empty then. */
  remove(path: ConfigPath): void;
  /** Quotes what Istio would refuse under proxyMetadata and names the variables. */
  quoteMetadata(): readonly string[];
  /** The text for the annotation. */
  text(): string;
}

/** The annotation, or why it cannot be used. */
export type ParsedProxyConfig =
  | { readonly ok: true; readonly config: ProxyConfig }
  | { readonly ok: false; readonly reason: string };

/**
 * Parses the annotation.
 *
 * @param text undefined where the pod has none
 */
export function parseProxyConfig(text: string | undefined): ParsedProxyConfig {
  if (text === undefined || text.trim() === "") return { ok: true, config: yamlProxyConfig.empty() };
  if (text.trimStart().startsWith("{")) {
    const json = jsonProxyConfig(text);
    if (json !== undefined) return { ok: true, config: json };
  }
  return yamlProxyConfig.parse(text);
}

/** The two spellings of a field: camelCase first, which counts if both stand there. */
export function spellings(name: string): readonly string[] {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return snake === name ? [name] : [name, snake];
}
