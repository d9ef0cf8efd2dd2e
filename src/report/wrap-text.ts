/**
 * Wraps a sentence to a width.
 *
 * @param first what stands before the first line
 * @param rest what stands before the others
 */
export function wrapText(sentence: string, width: number, first = "", rest = ""): string {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of sentence.split(" ")) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join("\n");
}
