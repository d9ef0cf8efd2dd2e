/**
 * Changes values in a text of YAML or JSON so that every byte that need not change stays: comments, order of keys,
 * quoting, line ends, and what aliases stand for.
 *
 * The changed value is compared with the old one, and only the nodes that differ are written anew in place. The result is
 * always read back: it is used only if it means what was wanted.
 */
import { isObject, type JsonObject, sameJson } from "../json/json.ts";
import { Changes, indentsLists } from "./change.ts";
import { Edits } from "./edits.ts";
import type { Style } from "./flow.ts";
import { readYaml, type YamlText } from "./read.ts";
import { renderBlock, renderFlow } from "./render.ts";

/**
 * The text that says what is wanted.
 *
 * @returns undefined where it cannot be edited in place
 */
export function editYaml(text: YamlText, after: JsonObject): string | undefined {
  if (sameJson(text.value, after)) return text.text;
  const edited = editedText(text, after);
  if (edited === undefined) return undefined;
  const read = readYaml(edited);
  return read.ok && sameJson(read.value, after) ? edited : undefined;
}

function editedText({ text, root, value }: YamlText, after: JsonObject): string | undefined {
  const edits = new Edits(text);
  const style = styleOf(text);
  if (root === undefined || !isObject(value)) {
    if (value !== null) return undefined;
    if (root !== undefined && root.end > root.from) {
      edits.replace(root.from, root.end, renderBlock(after, 0, true).trimEnd());
    } else {
      const lines = renderBlock(after, 0, true);
      // A comment above is not one of the first key.
      if (text.includes("#")) edits.insertLines(text.length, `\n${lines}`);
      else edits.replace(text.length, text.length, text.includes("-") && !text.endsWith("\n") ? `\n${lines}` : lines);
    }
    return edits.applied();
  }
  const changes = new Changes(edits, style, style !== "yaml" || indentsLists(root, edits));
  if (changes.change(root, value, after)) return edits.applied();
  // Nothing was in it, or nothing is left.
  if (Object.keys(value).length > 0 && Object.keys(after).length > 0) return undefined;
  edits.replace(root.start, root.end, style === "yaml" ? renderFlow(after) : JSON.stringify(after));
  return edits.applied();
}

function styleOf(text: string): Style {
  if (!isJson(text)) return "yaml";
  return /":\S/.test(text) ? "compact" : "json";
}

/** Whether a text is JSON, so that what is added to it must be JSON as well. */
export function isJson(text: string): boolean {
  const start = text.trimStart();
  if (!start.startsWith("{") && !start.startsWith("[")) return false;
  try {
    JSON.parse(start);
    return true;
  } catch {
    return false;
  }
}
