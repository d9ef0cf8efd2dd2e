/**
 * Walks a document's tree and its old and new value together, and writes down the edits that turn one into the other.
 */
import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { isObject, type JsonObject, type JsonValue, sameJson } from "../pod/json.ts";
import type { Edits } from "./edits.ts";
import { addToFlow, type FlowEntry, type Style } from "./flow.ts";
import { matchElements } from "./match-elements.ts";
import { renderBlock, renderFlow, renderScalar } from "./render.ts";

/** Where the edits go and how new values are written. */
export interface Place {
  readonly edits: Edits;
  readonly style: Style;
  readonly indentSeq: boolean;
}

/** Where a value stands: behind a key's colon or an item's dash. */
interface Slot {
  /** Offset behind the colon or dash. */
  readonly at: number;
  /** Column of the key or the dash. */
  readonly column: number;
  readonly isItem: boolean;
  readonly flow: boolean;
}

/**
 * Writes down the edits for one node.
 *
 * @returns false where the node cannot be edited in place
 */
export function changeNode(node: Node, before: JsonValue, after: JsonValue, place: Place): boolean {
  if (sameJson(before, after)) return true;
  const mark = place.edits.mark();
  const isDone =
    isMap(node) && isObject(before) && isObject(after) && Object.keys(after).length > 0
      ? changeMap(node, before, after, place)
      : isSeq(node) && Array.isArray(before) && Array.isArray(after) && after.length > 0
        ? changeSeq(node, before, after, place)
        : false;
  if (!isDone) place.edits.undo(mark);
  return isDone;
}

function changeMap(map: YAMLMap, before: JsonObject, after: JsonObject, place: Place): boolean {
  const { edits } = place;
  const flow = map.flow === true;
  const pairs = map.items as Pair<Node, Node | null>[];
  const own = new Set<string>();
  const gone: number[] = [];
  for (const [index, pair] of pairs.entries()) {
    const key = keyOf(pair);
    if (key === undefined) continue;
    own.add(key);
    if (!Object.hasOwn(after, key)) gone.push(index);
  }
  // A key that a merge brings can only be taken away where it is written.
  if (Object.keys(before).some((key) => !Object.hasOwn(after, key) && !own.has(key))) return false;
  if (gone.length === pairs.length) return false;
  for (const pair of pairs) {
    const key = keyOf(pair);
    if (key === undefined || !Object.hasOwn(after, key)) continue;
    const [old, wanted] = [before[key] ?? null, after[key] ?? null];
    if (sameJson(old, wanted)) continue;
    const at = colonOf(pair, edits.text);
    const slot: Slot = { at, column: edits.column(startOf(pair.key)), isItem: false, flow };
    if (!(pair.value && changeNode(pair.value, old, wanted, place))) replaceValue(pair.value, wanted, slot, place);
  }
  remove(
    pairs.map((pair) => ({ start: startOf(pair.key), end: endOfPair(pair, edits.text) })),
    gone,
    flow,
    edits,
  );
  const added = Object.entries(after).filter(([key]) => !own.has(key) && !sameJson(before[key], after[key]));
  if (added.length === 0) return true;
  const last = pairs.at(-1);
  const first = pairs[0];
  if (last === undefined || first === undefined) return false;
  const end = endOfPair(last, edits.text);
  if (flow) {
    edits.needProof = true;
    const entries = added.map(([key, value]): FlowEntry => ({ key, value }));
    addToFlow(
      edits,
      place.style,
      { open: map.range?.[0] ?? 0, first: startOf(first.key), last: startOf(last.key), end },
      entries,
    );
  } else {
    const column = edits.column(startOf(first.key));
    edits.insertLines(
      end,
      added.map(([key, value]) => renderBlock({ [key]: value }, column, place.indentSeq)).join(""),
    );
  }
  return true;
}

function changeSeq(seq: YAMLSeq, before: readonly JsonValue[], after: readonly JsonValue[], place: Place): boolean {
  const { edits } = place;
  const items = seq.items as (Node | null)[];
  const match = matchElements(before, after);
  if (match === undefined || items.length !== before.length || match.gone.length === items.length) return false;
  const flow = seq.flow === true;
  const column = edits.column(seq.range?.[0] ?? 0);
  const spans = items.map((item) => ({ start: item?.range?.[0] ?? 0, end: item ? endOf(item, edits.text) : 0 }));
  for (const [from, to] of match.kept) {
    const [node, old, wanted] = [items[from], before[from] ?? null, after[to] ?? null];
    if (sameJson(old, wanted)) continue;
    if (!node) return false;
    if (changeNode(node, old, wanted, place)) continue;
    const dash = edits.text.lastIndexOf("-", (node.range?.[0] ?? 0) - 1) + 1;
    replaceValue(node, wanted, { at: flow ? 0 : dash, column, isItem: true, flow }, place);
  }
  if (flow || match.gone.length > 0) edits.needProof = true;
  if (!flow && match.gone.length > 0) {
    // Whole lines, from the dash on.
    for (const index of match.gone) {
      const span = spans[index];
      if (span === undefined) return false;
      const from = edits.startOfLine(span.start);
      // The list may itself begin behind a dash or a key.
      if (index === 0 && edits.text.slice(from, from + column).trim() !== "") return false;
      edits.replace(from, edits.endOfLine(span.end), "");
    }
  } else remove(spans, match.gone, flow, edits);
  for (const { behind, values } of match.added) {
    const span = spans[behind];
    if (span === undefined) return false;
    if (flow) {
      const around = { open: seq.range?.[0] ?? 0, first: spans[0]?.start ?? 0, last: span.start, end: span.end };
      addToFlow(
        edits,
        place.style,
        around,
        values.map((value) => ({ value })),
      );
    } else edits.insertLines(span.end, renderBlock(values, column, place.indentSeq));
  }
  return true;
}

/** Writes a value in place of another one. */
function replaceValue(node: Node | null, after: JsonValue, slot: Slot, { edits, style, indentSeq }: Place): void {
  const range = node?.range;
  const isEmpty = !range || range[0] === range[1];
  const from = isEmpty ? slot.at : range[0];
  // A block ends with its line break, which stays.
  const to =
    node === null || isEmpty
      ? slot.at
      : from + edits.text.slice(from, endOf(node, edits.text)).replace(/\r?\n$/, "").length;
  const space = isEmpty ? " " : "";
  if (!isScalar(node) || (typeof after === "object" && after !== null)) edits.needProof = true;
  const isBlock = isCollection(node) && node.flow !== true;
  if (slot.flow) {
    edits.replace(from, to, space + (style === "json" ? JSON.stringify(after) : renderFlow(after)));
  } else if (typeof after !== "object" || after === null || Object.keys(after).length === 0) {
    const isFollowed = /^[ \t]+#/.test(edits.text.slice(to, to + 200));
    const text = renderScalar(after, node, edits.text.slice(from, to), slot.column, isFollowed);
    const line = to === edits.text.length ? text : text.replace(/\n$/, "");
    if (isBlock) edits.replace(slot.at, to, ` ${line}`);
    else edits.replace(from, to, space + line);
  } else if (slot.isItem) {
    edits.replace(slot.at, to, ` ${withoutBreak(renderBlock(after, slot.column + 2, indentSeq)).trimStart()}`);
  } else {
    const column = Array.isArray(after) && !indentSeq ? slot.column : slot.column + 2;
    const text = renderBlock(after, column, indentSeq);
    if (isBlock) edits.replace(slot.at, to, `\n${withoutBreak(text)}`);
    else {
      // What stands behind the old value on its line, a comment, stays with the key.
      edits.replace(slot.at, to, "");
      edits.insertLines(to, text);
    }
  }
}

function withoutBreak(text: string): string {
  return text.replace(/\n$/, "");
}

/** Takes entries out, with their commas or lines. */
function remove(
  spans: readonly { readonly start: number; readonly end: number }[],
  gone: readonly number[],
  flow: boolean,
  edits: Edits,
): void {
  if (gone.length === 0) return;
  edits.needProof = true;
  const firstKept = spans.findIndex((_, index) => !gone.includes(index));
  const kept = spans[firstKept];
  const first = spans[0];
  // The first entry may stand behind a dash or a brace, so what follows moves up to it.
  if (firstKept > 0 && kept && first) edits.replace(first.start, kept.start, "");
  for (const index of gone) {
    const [span, previous] = [spans[index], spans[index - 1]];
    if (index < firstKept || !span || !previous) continue;
    if (flow) edits.replace(previous.end, span.end, "");
    else edits.replace(edits.startOfLine(span.start), edits.endOfLine(span.end), "");
  }
}

/** A key as JSON has it; undefined for a merge. */
function keyOf({ key }: Pair<Node, Node | null>): string | undefined {
  const value = isScalar(key) ? key.value : undefined;
  if (value === "<<" || typeof value === "symbol") return undefined;
  return value === null ? "" : String(value);
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** Offset behind the colon of a pair. */
function colonOf({ key }: Pair<Node, Node | null>, text: string): number {
  return text.indexOf(":", key.range?.[1] ?? 0) + 1;
}

function endOfPair(pair: Pair<Node, Node | null>, text: string): number {
  const { value } = pair;
  if (!value?.range || value.range[0] === value.range[1]) return colonOf(pair, text);
  return endOf(value, text);
}

/** Offset behind the last character of a node, without comments and blank lines that follow it. */
function endOf(node: Node, text: string): number {
  if (isCollection(node) && node.flow !== true) {
    const last = node.items.at(-1) as Node | Pair<Node, Node | null> | null | undefined;
    if (last && "key" in last) return endOfPair(last, text);
    if (last) return endOf(last as Node, text);
  }
  const end = node.range?.[1] ?? 0;
  if (!isScalar(node) || isAlias(node)) return end;
  if (node.type !== Scalar.BLOCK_LITERAL && node.type !== Scalar.BLOCK_FOLDED) return end;
  const source = text.slice(node.range?.[0] ?? 0, end);
  if (/^[|>][-0-9]*\+/.test(source)) return end;
  return end - source.length + withoutBlankLines(source);
}

/** Where a text ends without the blank lines at its end. */
function withoutBlankLines(text: string): number {
  let end = text.length;
  while (text[end - 1] === "\n") {
    let start = text[end - 2] === "\r" ? end - 2 : end - 1;
    while (text[start - 1] === " " || text[start - 1] === "\t") start--;
    if (text[start - 1] !== "\n") break;
    end = start;
  }
  return end;
}
