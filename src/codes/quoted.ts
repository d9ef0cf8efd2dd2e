/**
 * What comes from outside, fit for a message to a person: short, and without what a terminal obeys or the API server refuses
 * (it drops a warning with a control character).
 */

/** Longest value that is repeated to a person, characters. */
const LONGEST = 60;

/** Control characters, and the characters that end a line or turn its direction without being control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** A name that looks like itself: every name of a container or a resource that the API server takes. */
const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/;

/** A value from outside: in double quotes, cut at 60 characters, and without unsafe characters. */
export function quoted(value: string): string {
  // A lone surrogate would not be valid UTF-8 in the answer.
  return escaped(JSON.stringify(cut(value, LONGEST).toWellFormed()));
}

/** A name from outside: as it is where it is an ordinary one, else quoted. */
export function named(name: string): string {
  return PLAIN_NAME.test(name) ? name : quoted(name);
}

/** A text of which some part may come from outside, without unsafe characters. */
export function escaped(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A text that has at most so many characters, and an ellipsis where some are missing. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
