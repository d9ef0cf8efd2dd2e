/**
 * Which characters end a line or a word, as go-yaml has it: a lone CR and the separators of Unicode end lines as well.
 *
 * A position behind the end of a text has the character NaN, which is none of these.
 */

/** A space or a tab. */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** CR, LF, NEL, LS or PS. */
export function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;
}

/** What ends a word: a blank, a line break or the end of the text. */
export function isBlankOrEnd(code: number): boolean {
  return isBlank(code) || isBreak(code) || Number.isNaN(code);
}

/** A letter, a digit, `_` or `-`: what names of anchors are made of. */
export function isWordCharacter(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d
  );
}

/** Offset behind the line break that stands at an offset; CR and LF together are one. */
export function afterBreak(text: string, at: number): number {
  return text.charCodeAt(at) === 0x0d && text.charCodeAt(at + 1) === 0x0a ? at + 2 : at + 1;
}

/** What a line break at an offset is in a text that is read: LF, but LS and PS stay. */
export function breakAt(text: string, at: number): string {
  const code = text.charCodeAt(at);
  return code === 0x2028 || code === 0x2029 ? (text[at] ?? "") : "\n";
}

/** Offset of the next line break, or of the text's end. */
export function endOfLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isBreak(text.charCodeAt(at))) at++;
  return at;
}

/** Whether a line of only `---` or `...`, or one that begins so, stands at an offset, which is the start of a line. */
export function isMarker(text: string, at: number): boolean {
  return (text.startsWith("---", at) || text.startsWith("...", at)) && isBlankOrEnd(text.charCodeAt(at + 3));
}

/** Offset of a character that no text may have; undefined where there is none. */
export function controlIn(text: string): number | undefined {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 ? code !== 0x0a && code !== 0x0d && code !== 0x09 : code >= 0x7f && code <= 0x9f && code !== 0x85) {
      return at;
    }
    if (code === 0xfffe || code === 0xffff) return at;
  }
  return undefined;
}
