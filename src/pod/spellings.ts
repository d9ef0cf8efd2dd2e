/** Field names of Istio's ProxyConfig are few, so their spellings are computed once. */
const known = new Map<string, readonly string[]>();

/** The two spellings of a field: camelCase first, which counts if both stand there, then snake_case. */
export function spellings(name: string): readonly string[] {
  let both = known.get(name);
  if (both === undefined) {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    both = snake === name ? [name] : [name, snake];
    known.set(name, both);
  }
  return both;
}
