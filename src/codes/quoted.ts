/** Longest value that is repeated to a person, characters. */
const LONGEST = 60;

/**
 * A value from outside, fit for a message: in double quotes, shortened, and without the control characters for which
 * the API server would drop the whole warning.
 */
export function quoted(value: string): string {
  const short = value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
  // JSON leaves U+007F to U+009F as they are, and a lone surrogate would not be valid UTF-8 in the answer.
  return JSON.stringify(short.toWellFormed()).replace(/[\u007f-\u009f]/g, (control) => {
    return `\\u00${control.charCodeAt(0).toString(16)}`;
  });
}
