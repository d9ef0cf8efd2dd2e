/**
 * A printed text with the lines that carry a comment spaced as a person wrote them; the yaml package puts one space before
 * every comment. A line is theirs if it says the same at the same indentation.
 */
export function withSpacing(written: string, printed: string): string {
  const theirs = new Map<string, string>();
  for (const line of written.split(/\r?\n/)) {
    const narrow = withOneSpace(line);
    if (narrow !== line) theirs.set(narrow, line);
  }
  if (theirs.size === 0) return printed;
  return printed
    .split("\n")
    .map((line) => theirs.get(line) ?? line)
    .join("\n");
}

/** The line with one space before its comment. (No regular expression: one that looks for spaces is quadratic.) */
function withOneSpace(line: string): string {
  const space = line.indexOf(" #");
  if (space === -1) return line;
  const end = line.slice(0, space).trimEnd().length;
  return end === 0 ? line : `${line.slice(0, end)}${line.slice(space)}`;
}
