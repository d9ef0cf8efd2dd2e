/**
 * The aliases of a YAML document (`*name`), bounded before anybody follows them.
 */
import { type Document, type Node, visit } from "yaml";

/**
 * Aliases that an annotation may have, and values that one anchor may stand for in all. The yaml package finds the anchor
 * of each alias by a walk over the document: 20,000 of them took minutes. go-yaml refuses excessive aliasing as well.
 */
const MAX_ALIASES = 100;

/** What is wrong with the aliases of a document when they are replaced by what they stand for. */
export function aliasProblem(document: Document<Node>): string | undefined {
  if (aliasesOf(document).length > MAX_ALIASES) return "it has too many YAML aliases";
  try {
    document.toJS({ maxAliasCount: MAX_ALIASES });
    return undefined;
  } catch (error) {
    return String(error).includes("Unresolved alias")
      ? "it has a YAML alias without an anchor"
      : "it has too many YAML aliases";
  }
}

/** The anchors that the aliases of a document name, one for each alias. */
export function aliasesOf(document: Document<Node>): readonly string[] {
  const sources: string[] = [];
  visit(document, { Alias: (_, { source }) => void sources.push(source) });
  return sources;
}
