/**
 * A pod's diff as text: the reason of a line stands dim under it, wrapped to the width of the terminal.
 */
import type { DiffLine } from "./pod-diff.ts";

/** How parts of the text are coloured; the identity where nothing is. */
export interface Paint {
  added(text: string): string;
  removed(text: string): string;
  reason(text: string): string;
}

/** Without colours. */
export const plain: Paint = { added: (text) => text, removed: (text) => text, reason: (text) => text };

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
      const painted = mark === "+" ? paint.added(line) : mark === "-" ? paint.removed(line) : line;
      if (reason === undefined) return [painted];
      const indent = " ".repeat((/^ */.exec(text)?.[0].length ?? 0) + 6);
      return [painted, ...wrapped(`# ${reason}`, indent, width).map(paint.reason)];
    })
    .join("\n");
}

function wrapped(text: string, indent: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ")) {
    if (line.length > indent.length && line.length + word.length + 1 > width) {
      lines.push(line.trimEnd());
      line = `${indent}  `;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
