/**
 * Walks a document's tree and its old and new value together, and writes down the edits that turn one into the other.
 *
 * What an alias stands for stays as it was: where something with an anchor changes, its aliases further on are written
 * out first.
 */
import { isObject, type JsonObject, type JsonValue, sameJson } from "../json/json.ts";
import type { Edits } from "./edits.ts";
import { addToFlow, type FlowEntry, type Style } from "./flow.ts";
import { matchElements } from "./match-elements.ts";
import type { ListNode, MappingNode, YamlNode, YamlPair } from "./node.ts";
import { flowSource, renderBlock, renderFlow, renderScalar } from "./render.ts";
import { isMerge, keyText } from "./value.ts";

/** Where a value stands: behind a key's colon or an item's dash. */
interface Slot {
  /** Offset behind the colon or dash. */
  readonly at: number;
  /** Column of the key or the dash. */
  readonly column: number;
  readonly isItem: boolean;
  readonly isFlow: boolean;
}

/** Where an entry of a collection stands. */
interface Span {
  readonly from: number;
  readonly end: number;
}

/** Writes down the edits of one document. */
export class Changes {
  readonly #edits: Edits;
  readonly #style: Style;
  readonly #indentsLists: boolean;
  /** Nodes with an anchor that the walk is in. */
  readonly #around: YamlNode[] = [];
  /** Nodes with an anchor that say something else than before. */
  readonly #changed = new Set<YamlNode>();
  /** Those of them that have new keys. */
  readonly #grown = new Set<YamlNode>();

  /** @param indentsLists whether a list stands deeper than its key, as most of this document has it */
  constructor(edits: Edits, style: Style, indentsLists: boolean) {
    this.#edits = edits;
    this.#style = style;
    this.#indentsLists = indentsLists;
  }

  /**
   * Writes down the edits for one node.
   *
   * @returns false where the node cannot be edited in place
   */
  change(node: YamlNode, before: JsonValue, after: JsonValue): boolean {
    const isSame = sameJson(before, after);
    if (node.kind === "alias") return isSame && !this.#changed.has(node.target);
    // Further on there may be aliases of what has changed.
    if (isSame && this.#changed.size === 0) return true;
    const mark = this.#edits.mark();
    if (node.anchor !== undefined) this.#around.push(node);
    let isDone = isSame;
    if (node.kind === "mapping" && isObject(before) && isObject(after))
      isDone = this.#mapping(node, before, after) || isSame;
    else if (node.kind === "list" && Array.isArray(before) && Array.isArray(after))
      isDone = this.#list(node, before, after) || isSame;
    if (node.anchor !== undefined) this.#around.pop();
    if (!isDone) this.#edits.undo(mark);
    return isDone;
  }

  /** Notes that what the walk is in says something else now. */
  #touch(gone?: YamlNode): void {
    for (const node of this.#around) this.#changed.add(node);
    for (const node of gone === undefined ? [] : nodesIn(gone)) if (node.anchor !== undefined) this.#changed.add(node);
  }

  #mapping(map: MappingNode, before: JsonObject, after: JsonObject): boolean {
    const { pairs, isFlow } = map;
    const last = new Map<string, number>();
    for (const [index, pair] of pairs.entries()) if (!isMerge(pair)) last.set(keyText(pair.key), index);
    // A key that a merge brings can only be taken away where it is written.
    if (Object.keys(before).some((key) => !Object.hasOwn(after, key) && !last.has(key))) return false;
    const isGone = (pair: YamlPair) => !isMerge(pair) && !Object.hasOwn(after, keyText(pair.key));
    const gone = new Set(pairs.flatMap((pair, index) => (isGone(pair) ? [index] : [])));
    if (gone.size === pairs.length) return false;
    let isMergeChanged = false;
    for (const [index, pair] of pairs.entries()) {
      if (isMerge(pair)) isMergeChanged = this.#keepMerge(pair) || isMergeChanged;
      else if (gone.has(index)) this.#touch(pair.value);
      else if (last.get(keyText(pair.key)) === index) this.#value(pair, before, after, isFlow);
    }
    this.#remove(
      pairs.map(({ from, value, colon }) => ({ from, end: Math.max(value.end, colon) })),
      gone,
      isFlow,
    );
    const added = Object.entries(after).filter(
      ([key, value]) => !last.has(key) && (isMergeChanged || !sameJson(before[key], value)),
    );
    if (added.length > 0) this.#addPairs(map, added);
    return true;
  }

  /** Whether a merge brings other values than before; one that would bring new keys is written out. */
  #keepMerge({ value }: YamlPair): boolean {
    let isChanged = false;
    for (const node of nodesIn(value)) {
      if (node.kind !== "alias" || !this.#changed.has(node.target)) continue;
      if (this.#grown.has(node.target)) this.#edits.replace(node.from, node.end, flowSource(node, this.#edits.text));
      else isChanged = true;
    }
    return isChanged;
  }

  #value({ key, value, from, colon }: YamlPair, before: JsonObject, after: JsonObject, isFlow: boolean): void {
    const name = keyText(key);
    const wanted = after[name] ?? null;
    if (this.change(value, before[name] ?? null, wanted)) return;
    this.#replace(value, wanted, { at: colon, column: this.#edits.column(from), isItem: false, isFlow });
  }

  #addPairs(map: MappingNode, added: readonly (readonly [string, JsonValue])[]): void {
    const { pairs, isFlow, start } = map;
    this.#touch();
    if (map.anchor !== undefined) this.#grown.add(map);
    const [first, last] = [pairs[0], pairs.at(-1)];
    const end = last === undefined ? start + 1 : Math.max(last.value.end, last.colon);
    if (isFlow || first === undefined || last === undefined) {
      const entries = added.map(([key, value]): FlowEntry => ({ key, value }));
      const quotes = pairs.some(({ key }) => key.kind === "scalar" && key.style === "double");
      addToFlow(
        this.#edits,
        this.#style,
        { open: start, first: first?.from, last: last?.from ?? start, end },
        entries,
        quotes,
      );
      return;
    }
    const column = this.#edits.column(first.from);
    const lines = added.map(([key, value]) => renderBlock({ [key]: value }, column, this.#indentsLists)).join("");
    // A block text at the very end would get the line break that it lacks, so what is new comes before it.
    if (this.#edits.isOpenEnded(end) && endsWithBlock(last.value)) {
      this.#edits.replace(first.from, first.from, lines.trimStart() + " ".repeat(column));
    } else this.#edits.insertLines(end, lines);
  }

  #list(list: ListNode, before: readonly JsonValue[], after: readonly JsonValue[]): boolean {
    const { items, dashes, isFlow } = list;
    const match = matchElements(before, after);
    if (match === undefined || match.gone.length === items.length) return false;
    const column = this.#edits.column(list.start);
    const spans = items.map((item, index) => ({ from: isFlow ? item.from : (dashes[index] ?? 1) - 1, end: item.end }));
    const kept = new Map(match.kept);
    for (const [index, item] of items.entries()) {
      const to = kept.get(index);
      if (to === undefined) this.#touch(item);
      else if (!this.change(item, before[index] ?? null, after[to] ?? null)) {
        this.#replace(item, after[to] ?? null, { at: dashes[index] ?? item.from, column, isItem: true, isFlow });
      }
    }
    this.#remove(spans, new Set(match.gone), isFlow);
    for (const { behind, values } of match.added) {
      this.#touch();
      const { from: last, end } = spans[behind] ?? { from: 0, end: 0 };
      if (isFlow) {
        const entries = values.map((value) => ({ value }));
        addToFlow(this.#edits, this.#style, { open: list.start, first: spans[0]?.from, last, end }, entries);
      } else this.#edits.insertLines(end, renderBlock(values, column, this.#indentsLists));
    }
    return true;
  }

  /** Writes a value in place of another one. */
  #replace(node: YamlNode, after: JsonValue, slot: Slot): void {
    this.#touch(node);
    const edits = this.#edits;
    const isEmpty = node.from === node.end;
    // An anchor stays, a tag does not.
    const from = isEmpty ? slot.at : node.tag === undefined ? node.start : node.from;
    const to = isEmpty ? slot.at : node.end;
    const space = isEmpty ? " " : "";
    const isBlock = (node.kind === "mapping" || node.kind === "list") && !node.isFlow;
    if (slot.isFlow) {
      edits.replace(from, to, space + (this.#style === "yaml" ? renderFlow(after) : JSON.stringify(after)));
    } else if (typeof after !== "object" || after === null || Object.keys(after).length === 0) {
      const isFollowed = /^[ \t]+#/.test(edits.text.slice(to, to + 200));
      const text = renderScalar(after, node, edits.text.slice(node.start, to), slot.column, isFollowed);
      const line = to === edits.text.length ? text : text.replace(/\n$/, "");
      if (isBlock) edits.replace(slot.at, to, ` ${line}`);
      else edits.replace(from, to, space + line);
    } else if (slot.isItem) {
      const lines = renderBlock(after, slot.column + 2, this.#indentsLists);
      edits.replace(slot.at, to, ` ${lines.trim()}`);
    } else {
      const column = Array.isArray(after) && !this.#indentsLists ? slot.column : slot.column + 2;
      const text = renderBlock(after, column, this.#indentsLists);
      if (isBlock) edits.replace(slot.at, to, `\n${text.replace(/\n$/, "")}`);
      else {
        // What stands behind the old value on its line, a comment, stays with the key.
        edits.replace(slot.at, to, "");
        edits.insertLines(to, text);
      }
    }
  }

  /** Takes entries out, with their commas or lines. */
  #remove(spans: readonly Span[], gone: ReadonlySet<number>, isFlow: boolean): void {
    if (gone.size === 0) return;
    const edits = this.#edits;
    const firstKept = spans.findIndex((_, index) => !gone.has(index));
    const [first, kept] = [spans[0], spans[firstKept]];
    // The first entry may stand behind a dash or a brace, so what follows moves up to it.
    if (firstKept > 0 && first && kept) edits.replace(first.from, kept.from, "");
    for (const index of gone) {
      const [span, previous] = [spans[index], spans[index - 1]];
      if (index < firstKept || !span || !previous) continue;
      if (isFlow) edits.replace(previous.end, span.end, "");
      else edits.replace(edits.startOfLine(span.from), edits.endOfLine(span.end), "");
    }
  }
}

/** The nodes of a tree, without what its aliases stand for. */
function* nodesIn(node: YamlNode): Generator<YamlNode> {
  yield node;
  if (node.kind === "list") for (const item of node.items) yield* nodesIn(item);
  if (node.kind !== "mapping") return;
  for (const { key, value } of node.pairs) {
    yield* nodesIn(key);
    yield* nodesIn(value);
  }
}

/** Whether the last thing of a value is a block text. */
function endsWithBlock(node: YamlNode): boolean {
  if (node.kind === "scalar") return node.style === "literal" || node.style === "folded";
  const last =
    node.kind === "list" ? node.items.at(-1) : node.kind === "mapping" ? node.pairs.at(-1)?.value : undefined;
  return last !== undefined && endsWithBlock(last);
}

/** Whether lists stand deeper than their keys in a document: as the first one does. */
export function indentsLists(root: YamlNode, edits: Edits): boolean {
  for (const node of nodesIn(root)) {
    if (node.kind !== "mapping" || node.isFlow) continue;
    const pair = node.pairs.find(({ value }) => value.kind === "list" && !value.isFlow);
    if (pair !== undefined) return edits.column(pair.value.start) > edits.column(pair.from);
  }
  return true;
}
