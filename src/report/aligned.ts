/**
 * Rows of cells as text: every column as wide as its longest cell, two spaces between columns, none at a line's end.
 *
 * @param rows the heading first; a row may be shorter than it
 */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
