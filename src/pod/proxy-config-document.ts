/**
 * What the two forms of proxy.istio.io/config, YAML and JSON, have in common: paths, values, edits.
 */

/** A value in the annotation: a scalar as its text, or a list of such texts. */
export type ConfigValue = string | readonly string[];

/** Where a value stands: field names in camelCase; under proxyMetadata a variable's name. */
export type ConfigPath = readonly [string] | readonly [string, string];

/** A value to write. Texts under proxyMetadata are quoted where YAML 1.1 would not read them as texts. */
export type NewValue = string | boolean | readonly string[];

/** One change of the annotation. */
export type ConfigEdit =
  /** Sets a value, keeping the spelling of a key that is there already. */
  | { readonly path: ConfigPath; readonly value: NewValue }
  /** Removes a value, and its parent mapping if that is empty then. */
  | { readonly path: ConfigPath; readonly value: undefined };

/** The values of an annotation: scalars and lists by field, and of the fields that are mappings theirs. */
export type ConfigValues = ReadonlyMap<string, ConfigValue | ReadonlyMap<string, ConfigValue>>;

/** A parsed annotation that can be changed: of YAML or of JSON. */
export interface EditableDocument {
  /** All that is in it, under the names as they are written. */
  values(): ConfigValues;
  apply(edit: ConfigEdit): void;
  /** Names of unquoted variables; quotes them. */
  quoteMetadata(): readonly string[];
  print(): string;
}

/** A parsed document, or why the text is none. */
export type ParsedDocument =
  | { readonly ok: true; readonly document: EditableDocument }
  | { readonly ok: false; readonly reason: string };
