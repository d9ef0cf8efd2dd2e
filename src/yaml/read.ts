/**
 * Reads a text of YAML (JSON is part of it) as Kubernetes and Istio do: its tree and its value.
 */
import type { JsonValue } from "../json/json.ts";
import type { YamlNode } from "./node.ts";
import { parseYaml } from "./parse.ts";
import { attempt, type YamlProblem } from "./problem.ts";
import { scalarValue } from "./resolve.ts";
import { isMerge, jsonValue, keyText } from "./value.ts";

/** A text that was read. */
export interface YamlText {
  readonly ok: true;
  readonly text: string;
  /** Undefined where the text says nothing. */
  readonly root: YamlNode | undefined;
  /** Its value; an integer that a double cannot hold is kept as it is written (`JSON.rawJSON`). */
  readonly value: JsonValue;
}

/** Reads the only document of a text. */
export function readYaml(text: string): YamlText | ({ readonly ok: false } & YamlProblem) {
  const parsed = parseYaml(text);
  if (!parsed.ok) return parsed;
  if (parsed.rest !== undefined) return { ok: false, at: parsed.rest, reason: "it has more than one YAML document" };
  const value = attempt(() => jsonValue(parsed.root, parsed.aliases, scalarValue));
  return value.ok ? { ok: true, text, root: parsed.root, value: value.value } : value;
}

/** The value of a tree that was read, with scalars as the texts that were written: `0x1F`, `yes`; null stays. */
export function writtenTexts(root: YamlNode | undefined): JsonValue {
  return jsonValue(root, 0, (node) => (scalarValue(node) === null ? null : node.text));
}

/** The keys that are written in a mapping itself; none of them comes from a merge. */
export function ownKeys(root: YamlNode | undefined): readonly string[] {
  return root?.kind === "mapping" ? root.pairs.flatMap((pair) => (isMerge(pair) ? [] : [keyText(pair.key)])) : [];
}
