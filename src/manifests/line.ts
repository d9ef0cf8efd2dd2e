/**
 * Where in a file a value stands.
 */
import { keyText } from "../yaml/value.ts";
import type { Manifest } from "./document.ts";
import { linesIn } from "./stream.ts";
import type { Path } from "./workload.ts";

/** The line of the stream on which the value at a path, or the nearest parent that is written, starts. */
export function lineAt({ chunk, yaml }: Manifest, path: Path): number {
  let node = yaml.root;
  let offset = node?.start ?? 0;
  for (const step of path) {
    if (node?.kind === "list") {
      node = node.items[Number(step)];
      offset = node?.start ?? offset;
    } else if (node?.kind === "mapping") {
      const pair = node.pairs.findLast(({ key }) => keyText(key) === String(step));
      node = pair?.value;
      offset = pair?.key.start ?? offset;
    } else break;
  }
  return chunk.line + linesIn(chunk.text.slice(0, offset));
}
