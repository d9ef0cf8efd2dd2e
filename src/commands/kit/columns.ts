/**
 * How wide a terminal is. One that does not know, as under script(1) or in some CI systems, says 0 and counts as one of 80
 * columns; so does what is no terminal.
 */
export function columnsOf({ columns }: { readonly columns?: number | undefined }): number {
  return columns !== undefined && columns > 0 ? columns : 80;
}
