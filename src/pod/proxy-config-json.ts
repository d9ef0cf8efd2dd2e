/**
 * proxy.istio.io/config written as JSON: it stays JSON, with the indentation it had.
 */
import { isObject, type JsonObject, type JsonValue, withKey } from "./json.ts";
import type {
  ConfigEdit,
  ConfigPath,
  ConfigValue,
  ConfigValues,
  EditableDocument,
  NewValue,
} from "./proxy-config-document.ts";
import { spellings } from "./spellings.ts";

/**
 * Parses the annotation as a JSON object.
 *
 * @returns undefined if it is none; it may still be YAML
 */
export function jsonDocument(text: string): EditableDocument | undefined {
  let root: JsonValue;
  try {
    // Trimming takes a byte order mark with it.
    root = JSON.parse(text.trim(), keepNumber);
  } catch {
    return undefined;
  }
  return isObject(root) ? new JsonDocument(root, text) : undefined;
}

/** A number that a double cannot hold is kept as it is written. */
function keepNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" && context?.source !== undefined && String(value) !== context.source
    ? JSON.rawJSON(context.source)
    : value;
}

class JsonDocument implements EditableDocument {
  #root: JsonObject;
  readonly #indent: string;
  readonly #end: string;

  constructor(root: JsonObject, text: string) {
    this.#root = root;
    this.#indent = /^\{\r?\n([ \t]+)/.exec(text.trimStart())?.[1] ?? "";
    this.#end = /\s*$/.exec(text)?.[0] ?? "";
  }

  values(): ConfigValues {
    return new Map(
      Object.entries(this.#root).flatMap(([name, value]): [string, ConfigValue | Map<string, ConfigValue>][] => {
        if (isMapping(value)) {
          return [[name, new Map(Object.entries(value).flatMap(([key, inner]) => named(key, inner)))]];
        }
        return named(name, value);
      }),
    );
  }

  apply({ path, value }: ConfigEdit): void {
    if (value === undefined) this.#remove(path);
    else this.#set(path, value);
  }

  #set(path: ConfigPath, value: NewValue): void {
    const first = keyOf(this.#root, path[0]);
    if (path.length === 1) {
      this.#root = withKey(this.#root, first, value);
      return;
    }
    const parent = at(this.#root, first);
    const mapping = isMapping(parent) ? parent : {};
    this.#root = withKey(this.#root, first, withKey(mapping, childKey(mapping, path), value));
  }

  #remove(path: ConfigPath): void {
    const first = keyOf(this.#root, path[0]);
    const parent = at(this.#root, first);
    if (path.length === 1) this.#root = withKey(this.#root, first, undefined);
    if (path.length === 1 || !isMapping(parent)) return;
    const mapping = withKey(parent, childKey(parent, path), undefined);
    this.#root = withKey(this.#root, first, Object.keys(mapping).length === 0 ? undefined : mapping);
  }

  quoteMetadata(): readonly string[] {
    const first = keyOf(this.#root, "proxyMetadata");
    const metadata = at(this.#root, first);
    if (!isMapping(metadata)) return [];
    const wrong = Object.entries(metadata).filter(([, value]) => isScalar(value) && typeof value !== "string");
    if (wrong.length === 0) return [];
    const quoted = Object.fromEntries(wrong.map(([name, value]) => [name, textOf(value)]));
    this.#root = withKey(this.#root, first, { ...metadata, ...quoted });
    return wrong.map(([name]) => name);
  }

  print(): string {
    return JSON.stringify(this.#root, null, this.#indent) + this.#end;
  }
}

function at(object: JsonValue | undefined, key: string): JsonValue | undefined {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

function keyOf(object: JsonValue | undefined, name: string): string {
  return spellings(name).find((key) => at(object, key) !== undefined) ?? name;
}

/** Names under proxyMetadata are variables and have one spelling only. */
function childKey(parent: JsonValue | undefined, [first, second]: ConfigPath): string {
  if (second === undefined) return first;
  return first === "proxyMetadata" ? second : keyOf(parent, second);
}

/** A number that is kept as it is written is an object to JavaScript. */
function isMapping(value: JsonValue | undefined): value is JsonObject {
  return isObject(value) && !JSON.isRawJSON(value);
}

function isScalar(value: JsonValue): boolean {
  return value !== null && (typeof value !== "object" || JSON.isRawJSON(value));
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function named(name: string, value: JsonValue): [string, ConfigValue][] {
  if (value === null) return [];
  if (Array.isArray(value)) return [[name, value.filter((element) => typeof element === "string")]];
  return isScalar(value) ? [[name, textOf(value)]] : [];
}
