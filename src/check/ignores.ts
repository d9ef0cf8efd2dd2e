/**
 * Comments that silence a rule for one document: `# gracegate-ignore: RULE[, RULE] because …`.
 *
 * A reason must stand there: whoever reads it next year has to know whether it still holds.
 */
import { linesIn } from "../manifests/stream.ts";

/** One comment. */
export interface Ignore {
  readonly rules: readonly string[];
  readonly reason: string;
  /** Line of the document; the first is 0. */
  readonly line: number;
}

const COMMENT = /^[ \t]*#[ \t]*gracegate-ignore:[ \t]*([\w-]+(?:[ \t]*,[ \t]*[\w-]+)*)(.*)$/gm;

/** The comments in the text of a document. */
export function ignoresIn(text: string): readonly Ignore[] {
  if (!text.includes("gracegate-ignore")) return [];
  return [...text.matchAll(COMMENT)].map(({ 1: rules = "", 2: reason = "", index }) => ({
    rules: rules.split(",").map((rule) => rule.trim()),
    reason: reason.trim().replace(/^[-:–—]+[ \t]*/, ""),
    line: linesIn(text.slice(0, index)),
  }));
}
