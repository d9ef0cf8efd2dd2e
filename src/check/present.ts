/**
 * Findings for a terminal of 80 columns, and for programs.
 */
import { wrapText } from "../report/wrap-text.ts";
import type { Gravity } from "./rule.ts";
import type { Result } from "./run.ts";

/** How a severity is coloured; the identity where nothing is. */
export type CheckPaint = Readonly<Record<Gravity, (text: string) => string>> & {
  readonly place: (text: string) => string;
};

const WIDTH = 80;

/** Prints findings, one paragraph each. */
export function checkText(results: readonly Result[], paint: CheckPaint): string {
  return results
    .map(({ file, line, object, rule, severity, message, fix, repair }) =>
      [
        paint.place(`${file}:${line}  ${object}`),
        `  ${paint[severity](severity)} ${rule}${repair === undefined ? "" : " (--fix mends it)"}`,
        wrapText(message, WIDTH, "    ", "    "),
        wrapText(fix, WIDTH, "    → ", "      "),
        "",
      ].join("\n"),
    )
    .join("\n");
}

/** Findings as data. */
export function checkData(results: readonly Result[]) {
  return {
    findings: results.map(({ repair, ...shown }) => ({ ...shown, fixable: repair !== undefined })),
    counts: countsOf(results),
  };
}

/** How many of each severity. */
export function countsOf(results: readonly Result[]): Readonly<Record<Gravity, number>> {
  const count = (severity: Gravity) => results.filter((result) => result.severity === severity).length;
  return { error: count("error"), warning: count("warning"), info: count("info") };
}

/** `2 errors, 1 warning`. */
export function countText(results: readonly Result[]): string {
  const words = Object.entries(countsOf(results))
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => `${count} ${severity}${count === 1 || severity === "info" ? "" : "s"}`);
  return words.length === 0 ? "nothing found" : words.join(", ");
}
