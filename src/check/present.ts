/**
 * Findings for a terminal of 80 columns, and for programs.
 */

import type { Severity } from "../codes/registry.ts";
import type { Paint } from "../report/paint.ts";
import { wrapText } from "../report/wrap-text.ts";
import type { PlacedFinding } from "./run.ts";

const STYLES = { error: "red", warning: "yellow", info: "cyan" } as const satisfies Record<Severity, string>;

const WIDTH = 80;

/** Prints findings, one paragraph each. */
export function checkText(results: readonly PlacedFinding[], paint: Paint): string {
  return results
    .map(({ file, line, object, rule, severity, message, fix, repair }) =>
      [
        paint("bold", `${file}:${line}  ${object}`),
        `  ${paint(STYLES[severity], severity)} ${rule}${repair === undefined ? "" : " (--fix mends it)"}`,
        wrapText(message, WIDTH, "    ", "    "),
        wrapText(fix, WIDTH, "    → ", "      "),
        "",
      ].join("\n"),
    )
    .join("\n");
}

/** Findings as data. */
export function checkData(results: readonly PlacedFinding[]) {
  return {
    findings: results.map(({ repair, ...shown }) => ({ ...shown, fixable: repair !== undefined })),
    counts: countsOf(results),
  };
}

/** How many of each severity. */
export function countsOf(results: readonly PlacedFinding[]): Readonly<Record<Severity, number>> {
  const count = (severity: Severity) => results.filter((result) => result.severity === severity).length;
  return { error: count("error"), warning: count("warning"), info: count("info") };
}

/** `2 errors, 1 warning`. */
export function countText(results: readonly PlacedFinding[]): string {
  const words = Object.entries(countsOf(results))
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => `${count} ${severity}${count === 1 || severity === "info" ? "" : "s"}`);
  return words.length === 0 ? "nothing found" : words.join(", ");
}
