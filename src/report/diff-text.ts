/**
 * A pod's diff as text: the reason of a line stands dim under it, wrapped to the width of the terminal.
 */
import type { Paint } from "./paint.ts";
import type { DiffLine } from "./pod-diff.ts";
import { wrapText } from "./wrap-text.ts";

/**
 * Prints a diff.
 *
 * @param width columns; longer lines are cut with an ellipsis
 */
export function diffText(lines: readonly DiffLine[], paint: Paint, width = 80): string {
  return lines
    .flatMap(({ mark, text, reason }) => {
      const whole = `${mark} ${text}`.trimEnd();
      const line = whole.length > width ? `${whole.slice(0, width - 1)}…` : whole;
      const painted = mark === "+" ? paint("green", line) : mark === "-" ? paint("red", line) : line;
      if (reason === undefined) return [painted];
      const indent = " ".repeat((/^ */.exec(text)?.[0].length ?? 0) + 6);
      return [
        painted,
        ...wrapText(`# ${reason}`, width - 1, indent, `${indent}  `)
          .split("\n")
          .map((part) => paint("dim", part)),
      ];
    })
    .join("\n");
}
