/**
 * Arithmetic on spans of time that can be shown: a sum keeps its terms, so that what is computed and what a person reads
 * cannot differ. Writing is left until somebody reads.
 */
import { formatDuration, type Milliseconds, ms, wholeSeconds } from "../units/milliseconds.ts";

/** A span of time and how it was computed. */
export type Formula = { readonly value: Milliseconds } & (
  | { readonly op: "sum" | "max"; readonly terms: readonly Operand[] }
  | { readonly op: "times"; readonly each: Milliseconds; readonly count: number; readonly countFirst: boolean }
  | { readonly op: "rounded"; readonly exact: Formula }
);

/** A span that is written as it is, or as its formula. */
export type Operand = Milliseconds | Formula;

const timeOf = (term: Operand): Milliseconds => (typeof term === "object" ? term.value : term);

/** `36s + 9s`. */
export function sum(...terms: readonly Operand[]): Formula {
  return { op: "sum", terms, value: ms(terms.reduce<number>((all, term) => all + timeOf(term), 0)) };
}

/** `max(36s, 45s)`. */
export function max(...terms: readonly Operand[]): Formula {
  return { op: "max", terms, value: longest(...terms.map(timeOf)) };
}

/** `2s × 3`. */
export function times(each: Milliseconds, count: number): Formula {
  return { op: "times", each, count, countFirst: false, value: ms(each * count) };
}

/** `3 × 2s`. */
export function timesOf(count: number, each: Milliseconds): Formula {
  return { ...times(each, count), countFirst: true } as Formula;
}

/** The next whole second. */
export function rounded(exact: Formula): Formula {
  return { op: "rounded", exact, value: wholeSeconds(exact.value) };
}

/** A formula as it is before it is rounded. */
export function exactly(formula: Formula): Formula {
  return formula.op === "rounded" ? formula.exact : formula;
}

/** The formula with the greatest value; the first of several. */
export function greatest(first: Formula, ...others: readonly Formula[]): Formula {
  return others.reduce((a, b) => (b.value > a.value ? b : a), first);
}

/** The longest of some spans. */
export function longest(...spans: readonly Milliseconds[]): Milliseconds {
  return Math.max(...spans) as Milliseconds;
}

/** A formula and what comes out: `max(36s + 9s, 36s) + 30s = 75s`. */
export function written(formula: Formula): string {
  return `${termsOf(formula)} = ${formatDuration(formula.value)}`;
}

/** A formula without what comes out: `2s × 2 + 5s`. */
export function termsOf(term: Operand): string {
  if (typeof term === "number") return formatDuration(term);
  switch (term.op) {
    case "sum":
      return term.terms.map(termsOf).join(" + ");
    case "max":
      return `max(${term.terms.map(termsOf).join(", ")})`;
    case "times": {
      const each = formatDuration(term.each);
      return term.countFirst ? `${term.count} × ${each}` : `${each} × ${term.count}`;
    }
    default:
      return `${termsOf(term.exact)}${term.exact.value === term.value ? "" : ", rounded up,"}`;
  }
}
