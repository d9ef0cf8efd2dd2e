/**
 * The tree of a YAML text: what stands where. Offsets count in the text that was read.
 */
import type { ScalarStyle } from "./scalars.ts";

interface Place {
  /** Where the node begins, with its anchor and tag. */
  readonly from: number;
  /** Where its content begins. */
  readonly start: number;
  /** Behind its last character; a line break that ends it is not part of it. */
  readonly end: number;
  readonly anchor: string | undefined;
  /** As it is written. */
  readonly tag: string | undefined;
}

/** A scalar; an empty one has no length. */
export interface ScalarNode extends Place {
  readonly kind: "scalar";
  readonly style: ScalarStyle;
  /** What it says, unfolded and unescaped. */
  readonly text: string;
}

/** `*name` */
export interface AliasNode extends Place {
  readonly kind: "alias";
  /** What it stands for. */
  readonly target: YamlNode;
}

/** A list. */
export interface ListNode extends Place {
  readonly kind: "list";
  readonly isFlow: boolean;
  readonly items: readonly YamlNode[];
  /** Behind the dash of each item; empty in a flow list. */
  readonly dashes: readonly number[];
}

/** A key and its value. */
export interface YamlPair {
  readonly key: YamlNode;
  readonly value: YamlNode;
  /** Where `?` stands, or the key begins. */
  readonly from: number;
  /** Behind the colon; behind the key where it has none. */
  readonly colon: number;
}

/** A mapping; keys may stand there twice. */
export interface MappingNode extends Place {
  readonly kind: "mapping";
  readonly isFlow: boolean;
  readonly pairs: readonly YamlPair[];
}

/** A node of the tree. */
export type YamlNode = ScalarNode | AliasNode | ListNode | MappingNode;
