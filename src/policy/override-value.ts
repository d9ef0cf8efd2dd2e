/**
 * A setting as a text, which is all that an annotation can hold: read by the schema of the setting, and refused in words.
 */
import { MAX_DURATION, parseMilliseconds } from "../units/duration.ts";
import { nearest } from "./nearest.ts";
import type { Schema } from "./schema-builder.ts";

/** A value that was read, or what the text is not and what would be right. */
export type ReadText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly is: string; readonly right: string };

/**
 * Reads a setting. The schema is one of a text, a number, a duration, a choice, or true and false.
 *
 * @returns the value after normalising
 */
export function readText(schema: Schema<unknown>, text: string): ReadText {
  const { json, kind } = schema;
  switch (kind) {
    case "duration":
      return readDuration(text, json.minimum ?? 0);
    case "boolean":
      if (text === "true" || text === "false") return { ok: true, value: text === "true" };
      return { ok: false, is: "true or false", right: '"true" or "false"' };
    case "choice":
      return readChoice(text, json.enum ?? []);
    case "number":
      return readNumber(text, json.minimum ?? 0, json.maximum ?? Number.MAX_SAFE_INTEGER);
    case "text":
      return readKnownText(text, schema);
    default:
      throw new Error(`a ${kind} is not written as a text`);
  }
}

/** The type of a setting, for people. */
export function typeInWords({ kind, json, known }: Schema<unknown>): string {
  switch (kind) {
    case "boolean":
      return "true or false";
    case "choice":
      return (json.enum ?? []).join(", ");
    case "number":
      return `number from ${json.minimum} to ${json.maximum}`;
    default:
      return known?.type ?? kind;
  }
}

function readDuration(text: string, least: number): ReadText {
  const parsed = parseMilliseconds(text);
  if (!parsed.ok) {
    return { ok: false, is: `a duration (${parsed.reason})`, right: "36s, 1m30s or a number of seconds" };
  }
  if (least > 0 && parsed.milliseconds === 0) {
    return { ok: false, is: "a duration above 0", right: `${least}s up to ${MAX_DURATION}s` };
  }
  return { ok: true, value: parsed.milliseconds };
}

function readChoice(text: string, words: readonly string[]): ReadText {
  if (words.includes(text)) return { ok: true, value: text };
  const guess = nearest(text, words);
  return { ok: false, is: guess === undefined ? "known" : `known (did you mean ${guess}?)`, right: words.join(", ") };
}

function readNumber(text: string, least: number, most: number): ReadText {
  const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return { ok: true, value: number };
  return { ok: false, is: `a whole number from ${least} to ${most}`, right: `one, such as ${least}` };
}

function readKnownText(text: string, { json, known }: Schema<unknown>): ReadText {
  if (known === undefined) throw new Error(`no annotation can hold: ${json.description}`);
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = json;
  const length = text.length;
  if (length >= minLength && length <= maxLength && known.pattern.test(text)) return { ok: true, value: text };
  return { ok: false, is: known.is, right: known.right };
}
