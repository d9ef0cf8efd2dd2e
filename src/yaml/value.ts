/**
 * The value of a tree as JSON: aliases followed within bounds, merge keys (`<<`) merged, of duplicate keys the last.
 */
import type { JsonObject, JsonValue } from "../json/json.ts";
import type { MappingNode, ScalarNode, YamlNode, YamlPair } from "./node.ts";
import { YamlError } from "./problem.ts";
import { scalarKey } from "./resolve.ts";

/**
 * Aliases that a text may have, and values that they may stand for in all: nobody writes more. go-yaml refuses excessive
 * aliasing as well.
 */
const MAX_ALIASES = 100;
const MAX_ALIASED = 10_000;

/** The value of a node without what it is. */
export function resolved(node: YamlNode): Exclude<YamlNode, { kind: "alias" }> {
  return node.kind === "alias" ? resolved(node.target) : node;
}

/** Whether a pair is `<<: …`. */
export function isMerge({ key }: YamlPair): boolean {
  return (
    key.kind === "scalar" &&
    key.text === "<<" &&
    key.style === "plain" &&
    (key.tag === undefined || key.tag.endsWith(":merge"))
  );
}

/**
 * The value of a text's root, as JSON.
 *
 * @param aliases how many the text has
 * @param scalar what a scalar's value is
 * @throws YamlError where JSON has no such value
 */
export function jsonValue(root: YamlNode | undefined, aliases: number, scalar: ScalarReader): JsonValue {
  if (aliases > MAX_ALIASES) throw new YamlError(0, "it has too many YAML aliases");
  return root === undefined ? null : new Reader(scalar).value(root);
}

/** What the value of a scalar is. */
export type ScalarReader = (node: ScalarNode) => JsonValue;

class Reader {
  readonly #scalar: ScalarReader;
  #aliased = 0;
  /** Nodes that aliases are being followed into; one that is met within itself has no end. */
  readonly #open = new Set<YamlNode>();

  constructor(scalar: ScalarReader) {
    this.#scalar = scalar;
  }

  value(node: YamlNode): JsonValue {
    if (this.#open.size > 0 && ++this.#aliased > MAX_ALIASED) throw new YamlError(0, "it has too many YAML aliases");
    switch (node.kind) {
      case "scalar":
        return this.#scalar(node);
      case "alias":
        return this.#within(node.target, () => this.value(node.target));
      case "list":
        return node.items.map((item) => this.value(item));
      case "mapping":
        return this.#mapping(node, {});
    }
  }

  #within<T>(target: YamlNode, read: () => T): T {
    if (this.#open.has(target)) throw new YamlError(target.from, "a YAML anchor that contains itself");
    this.#open.add(target);
    const value = read();
    this.#open.delete(target);
    return value;
  }

  #mapping(node: MappingNode, into: Record<string, JsonValue>): JsonObject {
    for (const pair of node.pairs) {
      if (isMerge(pair)) this.#merge(pair.value, into);
      else setKey(into, keyText(pair.key), this.value(pair.value));
    }
    return into;
  }

  /** Of several the first counts; what a merge brings counts more than what stands before it, as go-yaml has it. */
  #merge(node: YamlNode, into: Record<string, JsonValue>): void {
    const target = resolved(node);
    const isList = target.kind === "list" && node.kind === "list";
    for (const base of isList ? target.items.toReversed() : [node]) {
      const mapping = resolved(base);
      if (mapping.kind !== "mapping") throw new YamlError(base.from, "a merge key wants a mapping, or a list of them");
      if (base.kind === "alias") this.#within(base.target, () => this.value(base.target));
      this.#within(mapping, () => this.#mapping(mapping, into));
    }
  }
}

/** Sets a key, also one that is a trap; in its place where it is there. */
function setKey(into: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === "__proto__")
    Object.defineProperty(into, key, { value, writable: true, enumerable: true, configurable: true });
  else into[key] = value;
}

/** A key as JSON has it: a text. */
export function keyText(node: YamlNode): string {
  const key = resolved(node);
  const text = key.kind === "scalar" ? scalarKey(key) : undefined;
  if (text === undefined) throw new YamlError(node.from, "a key must be a text");
  return text;
}
