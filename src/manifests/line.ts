/**
 * Where in a file a value stands.
 */
import { isCollection, isMap, isScalar, type Node, type Pair } from "yaml";
import type { Manifest } from "./document.ts";
import { linesIn } from "./stream.ts";
import type { Path } from "./workload.ts";

/** The line of the stream on which the value at a path, or the nearest parent that is written, starts. */
export function lineAt({ chunk, document }: Manifest, path: Path): number {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const step of path) {
    if (!isCollection(node)) break;
    const items: readonly unknown[] = node.items;
    const found = isMap(node)
      ? (items as Pair<Node, Node | null>[]).find(({ key }) => isScalar(key) && String(key.value) === String(step))
      : items[Number(step)];
    if (found === undefined || found === null) break;
    const isPair = typeof found === "object" && "key" in found;
    const start = isPair ? (found as Pair<Node>).key : (found as Node);
    offset = start.range?.[0] ?? offset;
    node = isPair ? (found as Pair<Node, Node | null>).value : (found as Node);
  }
  return chunk.line + linesIn(chunk.text.slice(0, offset));
}
