/**
 * Remembers the results of a pure function of a text.
 *
 * The pods of a ReplicaSet carry the same annotation, and the API server asks twice for each, so most texts that reach
 * the webhook were seen a moment ago. The memory is bounded: so many entries, and no long text.
 */

/** Entries that are kept; the ones that were not asked for longest go first. */
const ENTRIES = 256;

/** Longest text that is remembered, characters. */
const LONGEST = 4096;

/** A function that remembers its last results. */
export function memoized<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly value: T }>();
  return (text) => {
    if (text.length > LONGEST) return compute(text);
    const entry = known.get(text) ?? { value: compute(text) };
    known.delete(text);
    known.set(text, entry);
    if (known.size > ENTRIES) {
      const oldest = known.keys().next();
      if (!oldest.done) known.delete(oldest.value);
    }
    return entry.value;
  };
}
