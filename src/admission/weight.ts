/**
 * What a text of JSON takes in memory once it is parsed, before it is parsed. 7 MiB of `{},` are 150 MiB of objects, and
 * one such body would end the process.
 */

const [QUOTE, BACKSLASH, COMMA, BRACE, BRACKET] = [0x22, 0x5c, 0x2c, 0x7b, 0x5b];

/** Bytes of an object, of a list, of one more place in either, and of a string or name beside its text (V8 of Node 24). */
const [OBJECT, LIST, PLACE, STRING] = [64, 48, 16, 64];

/**
 * Heaviest body that is parsed, bytes. An object of 1.5 MiB, the largest that etcd holds, stays below it whatever it is
 * made of; what the pipeline makes of such a pod takes some times as much.
 */
export const MAX_WEIGHT = 48 * 1024 * 1024;

/** Bodies up to this length, bytes, need no look: of nothing but brackets, the heaviest byte there is, they stay below. */
const LIGHT = MAX_WEIGHT / LIST;

/** Whether a body would take too much memory once it is parsed. Looks at those only that are long enough for it. */
export function isTooHeavy(body: Buffer): boolean {
  return body.length > LIGHT && weightOf(body, MAX_WEIGHT) > MAX_WEIGHT;
}

/**
 * Bytes that the values of a text take besides their own characters. Goes through it once, and over strings as fast as they can be
 * searched. What is no JSON gets some number.
 *
 * @param most where it becomes more than this, the rest does not matter
 */
export function weightOf(text: Buffer, most: number): number {
  let weight = 0;
  for (let at = 0; at < text.length && weight <= most; at++) {
    const byte = text[at];
    if (byte === QUOTE) {
      at = endOfString(text, at + 1);
      weight += STRING;
    } else if (byte === COMMA) weight += PLACE;
    else if (byte === BRACE) weight += OBJECT;
    else if (byte === BRACKET) weight += LIST;
  }
  return weight;
}

/** Where the string ends that begins here: its quote, or the end of the text. */
function endOfString(text: Buffer, begin: number): number {
  for (let from = begin; ; ) {
    const quote = text.indexOf(QUOTE, from);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (quote - backslashes > begin && text[quote - backslashes - 1] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
    from = quote + 1;
  }
}
