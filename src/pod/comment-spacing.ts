/**
 * A printed text with the lines that carry a comment spaced as a person wrote them; the yaml package puts one space before
 * every comment. A line is theirs if it says the same at the same indentation.
 */
export function withSpacing(written: string, printed: string): string {
  const theirs = new Map<string, string>();
  for (const line of written.split(/\r?\n/)) if (/ {2,}#/.test(line)) theirs.set(line.replace(/ +#/, " #"), line);
  if (theirs.size === 0) return printed;
  return printed
    .split("\n")
    .map((line) => theirs.get(line) ?? line)
    .join("\n");
}
