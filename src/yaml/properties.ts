/**
 * Anchors, aliases and tags: where their names end.
 */
import { isBlankOrEnd, isWordCharacter } from "./characters.ts";
import { YamlError } from "./problem.ts";

/** Offset behind `&name` or `*name`. */
export function endOfName(text: string, from: number, kind: "alias" | "anchor"): number {
  let to = from + 1;
  while (isWordCharacter(text.charCodeAt(to))) to++;
  const isEnd = isBlankOrEnd(text.charCodeAt(to)) || "?:,]}%@`".includes(text[to] ?? "");
  if (to === from + 1 || !isEnd) {
    throw new YamlError(from, `the name of an ${kind} has letters, digits, - and _ alone`);
  }
  return to;
}

const TAG = /!<[\w\-;/?:@&=+$,.!~*'()[\]]+>|![\w\-;/?:@&=+$,.!~*'()[\]]*/y;

/** Offset behind a tag. Escapes in it (`%20`) are not read. */
export function endOfTag(text: string, from: number): number {
  TAG.lastIndex = from;
  const to = from + (TAG.exec(text)?.[0].length ?? 0);
  if (to === from || !isBlankOrEnd(text.charCodeAt(to))) throw new YamlError(from, "a tag that cannot be read");
  return to;
}

/** A tag with what `!!` and `<…>` stand for; `!` alone says that it is a text. */
export function tagOf(text: string, from: number): string {
  const long = "tag:yaml.org,2002:";
  if (text === "!" || text === "!<!>") return `${long}str`;
  if (/^![\w-]+!/.test(text)) throw new YamlError(from, "a tag with a handle that nobody defines");
  return text.startsWith("!<") ? text.slice(2, -1) : text.startsWith("!!") ? long + text.slice(2) : text;
}
