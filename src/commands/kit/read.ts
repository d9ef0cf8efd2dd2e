/**
 * What a flag's text stands for: readers that give a value, or the sentence for whoever typed it.
 */
import { X509Certificate } from "node:crypto";
import { accessSync, constants, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseDuration } from "../../units/duration.ts";
import { systemReason } from "../../units/system-error.ts";

/** The command was called in a way that cannot work: exit code 2, and the sentence is for the person who typed it. */
export interface Refusal {
  readonly ok: false;
  readonly reason: string;
}

/** A value, or why there is none. */
export type Read<T> = { readonly ok: true; readonly value: T } | Refusal;

/**
 * Reads what was typed.
 *
 * @param flag the flag as it was declared, for the sentence: `--port`
 */
export type Reader<T> = (text: string, flag: string) => Read<T>;

/** A value that was read. */
export function value<T>(read: T): Read<T> {
  return { ok: true, value: read };
}

/** The sentence for whoever typed it. */
export function refused(reason: string): Refusal {
  return { ok: false, reason };
}

/** Whatever was typed. */
export const text: Reader<string> = value;

/** An empty variable of the environment is one that is not set. */
export function unlessEmpty<T>(read: Reader<T>): Reader<T | undefined> {
  return (typed, flag) => (typed === "" ? value(undefined) : read(typed, flag));
}

/** A text of which only some can be used. */
export function matching(expression: RegExp, sentence: (typed: string, flag: string) => string): Reader<string> {
  return (typed, flag) => (expression.test(typed) ? value(typed) : refused(sentence(typed, flag)));
}

/** One of some names. */
export function oneOf<const T extends string>(
  names: readonly T[],
  sentence: (typed: string, flag: string) => string,
): Reader<T> {
  return (typed, flag) => {
    const found = names.find((name) => name === typed);
    return found === undefined ? refused(sentence(typed, flag)) : value(found);
  };
}

/** How the answer is written, for `-o`. */
export function format<const T extends string>(...formats: readonly T[]): Reader<T> {
  const all = formats.length === 2 ? formats.join(" and ") : formats.join(", ");
  return oneOf(formats, (typed) => `-o ${typed} is not a format; there are ${all}.`);
}

/** Names between commas. */
export const names: Reader<readonly string[]> = (typed) => {
  const parts = typed.split(",").map((name) => name.trim());
  return value(parts.filter((name) => name !== ""));
};

/** A whole number. */
export function whole(least: number, most = 1_000_000): Reader<number> {
  return (typed, flag) => {
    const number = /^[0-9]+$/.test(typed) ? Number(typed) : Number.NaN;
    if (number >= least && number <= most) return value(number);
    return refused(`${flag} ${typed} is not a whole number from ${least} to ${most}.`);
  };
}

/** A port, where another sentence than that of a whole number is given. */
export function port(least: number, sentence: (typed: string, flag: string) => string): Reader<number> {
  return (typed, flag) => {
    const number = Number(typed);
    const isPort = Number.isInteger(number) && number >= least && number < 65_536;
    return isPort ? value(number) : refused(sentence(JSON.stringify(typed), flag));
  };
}

/** A share from 0 to 1. */
export const share: Reader<number> = (typed, flag) => {
  const number = typed === "" ? Number.NaN : Number(typed);
  return number >= 0 && number <= 1 ? value(number) : refused(`${flag} ${typed} is not a share from 0 to 1.`);
};

/** A duration, in seconds, from nothing on. */
export function seconds(sentence: (typed: string, flag: string, reason: string) => string): Reader<number> {
  return (typed, flag) => {
    const parsed = parseDuration(typed);
    return parsed.ok ? value(parsed.seconds) : refused(sentence(typed, flag, parsed.reason));
  };
}

/** A duration of at least a second, in seconds. */
export const time: Reader<number> = (typed, flag) => {
  const read = seconds((_, __, reason) => `${flag} ${typed} is not a duration: ${reason}.`)(typed, flag);
  return read.ok && read.value === 0 ? refused(`${flag} must be 1s or more.`) : read;
};

/** The text of a file. */
export const fileText: Reader<string> = (path, flag) => textOf(path, path, flag);

/** A file and its text; `-` is stdin, as for kubectl. */
export const fileOrStdin: Reader<{ readonly file: string; readonly text: string }> = (file, flag) => {
  const read = textOf(file === "-" ? 0 : file, file, flag);
  return read.ok ? value({ file, text: read.value }) : read;
};

function textOf(place: string | 0, shown: string, flag: string): Read<string> {
  try {
    return value(readFileSync(place, "utf8"));
  } catch (error) {
    return refused(`${flag} ${shown} cannot be read: ${systemReason(error)}.`);
  }
}

/** The text of a PEM file; one that is none would fail at every connection. */
export const certificateText: Reader<string> = (path, flag) => {
  const file = fileText(path, flag);
  if (!file.ok) return file;
  try {
    new X509Certificate(file.value);
    return file;
  } catch {
    return refused(`${flag} ${path} has no PEM certificate in it.`);
  }
};

/** The path of a file that will be written: that it could not be is said at once, and not at the end. */
export const writableFile: Reader<string> = (path, flag) => {
  try {
    accessSync(dirname(path), constants.W_OK);
    return value(path);
  } catch {
    return refused(`${flag} ${path} cannot be written: there is no such folder, or it is not yours.`);
  }
};
