/**
 * Remembers the results of a pure function of a text.
 *
 * The pods of a ReplicaSet carry the same annotation, and the API server asks twice for each, so most texts that reach
 * the webhook were seen a moment ago. The memory is bounded: so many entries, so many characters of text, and no long text.
 * What is computed of a text, such as a parsed document, takes some sixty times its length.
 */

/** Entries that are kept; the ones that were not asked for longest go first. */
const ENTRIES = 256;

/** Longest text that is remembered, characters. */
const LONGEST = 4096;

/** Characters of all texts together; what was not asked for longest goes first. */
const CHARACTERS = 256 * 1024;

/** A function that remembers its last results. */
export function memoized<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly value: T }>();
  let characters = 0;
  return (text) => {
    if (text.length > LONGEST) return compute(text);
    const entry = known.get(text) ?? { value: compute(text) };
    if (!known.delete(text)) characters += text.length;
    known.set(text, entry);
    for (const [oldest] of known) {
      if (known.size <= ENTRIES && characters <= CHARACTERS) break;
      known.delete(oldest);
      characters -= oldest.length;
    }
    return entry.value;
  };
}
