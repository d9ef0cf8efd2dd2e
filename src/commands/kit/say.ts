/**
 * Where a command's words go: data to stdout, sentences for a person to stderr, and one line of progress on a terminal.
 */
import { styleText } from "node:util";
import type { Paint } from "../../report/paint.ts";
import { wrapText } from "../../report/wrap-text.ts";
import { columnsOf } from "./columns.ts";
import { clearProgress } from "./progress.ts";

/** Writes data to stdout as it is. */
export function write(data: string): void {
  clearProgress();
  process.stdout.write(data);
}

/** Writes data to stdout, with an end of line. */
export function print(data: string): void {
  write(data.endsWith("\n") ? data : `${data}\n`);
}

/** Writes data to stdout as JSON for people and programs. */
export function printJson(data: unknown): void {
  print(jsonText(data));
}

/** JSON as every command writes it. */
export function jsonText(data: unknown): string {
  return JSON.stringify(data, undefined, 2);
}

/** Writes a sentence for a person to stderr; on a terminal no word is broken, elsewhere a sentence is one line to grep. */
export function say(sentence: string): void {
  clearProgress();
  process.stderr.write(`${process.stderr.isTTY ? wrapLines(sentence, columnsOf(process.stderr)) : sentence}\n`);
}

/** Wraps the lines that are longer than a terminal is wide; the others may be wrapped already, and stay. */
function wrapLines(sentence: string, width: number): string {
  return sentence
    .split("\n")
    .map((line) => (line.length > width ? wrapText(line, width, "", "  ") : line))
    .join("\n");
}

/** Colours for a stream: none unless it is a terminal, and NO_COLOR is not set. */
export function paintOn(stream: NodeJS.WriteStream): Paint {
  return (style, painted) => styleText(style, painted, { stream });
}

/** Colours for stdout. */
export const paint: Paint = paintOn(process.stdout);
