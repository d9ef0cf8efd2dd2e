/** The colours of all reports: red is lost or wrong, yellow a warning, cyan a hint, green good, bold a title, dim a reason. */
export type Paint = (style: "red" | "green" | "yellow" | "cyan" | "bold" | "dim", text: string) => string;

/** Without colours. */
export const plain: Paint = (_, text) => text;
