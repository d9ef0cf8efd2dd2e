/**
 * The events of docs/logs.md, with the fields that each may have.
 */
import { readFileSync } from "node:fs";

/** Fields that any line may have. */
export const COMMON: readonly string[] = ["time", "level", "event", "msg"];

/** Events and their fields, as the page says. */
export function documentedEvents(process: "hc" | "webhook"): ReadonlyMap<string, readonly string[]> {
  const page = readFileSync("docs/logs.md", "utf8");
  const part = page.slice(page.indexOf(`<!-- events: ${process} -->`), page.indexOf(`<!-- end: ${process} -->`));
  const rows = part.split("\n").filter((line) => line.startsWith("| `"));
  return new Map(
    rows.map((row) => {
      const [, event = "", , , fields = ""] = row.split("|");
      // Words in parentheses explain a field.
      return [event.replaceAll("`", "").trim(), wordsIn(fields.replace(/\([^)]*\)+/g, ""))];
    }),
  );
}

function wordsIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([A-Za-z]+)`/g)].map((match) => match[1] ?? "");
}
