/**
 * Name resolution for the clients: one lookup per name and second, shared by all connections.
 *
 * Node resolves names on four threads of its pool. With a slow resolver, hundreds of new connections a second would
 * queue there; the run would measure the queue, and its process could not end before the last answer.
 */
import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** How long an answer, good or bad, is used: short, since a name may move to another balancer. */
const FRESH_MS = 1000;

/** Makes a lookup with a memory of its own. */
export function sharedLookup(resolve: typeof lookup = lookup): LookupFunction {
  const known = new Map<string, { atMs: number; answer: Promise<LookupAddress[]> }>();
  return (name, options, callback) => {
    const key = `${name} ${options.family ?? 0} ${options.hints ?? 0}`;
    let entry = known.get(key);
    if (entry === undefined || performance.now() - entry.atMs > FRESH_MS) {
      const fresh = { atMs: Number.POSITIVE_INFINITY, answer: ask(name, options) };
      // Its age counts from the answer, so that a slow resolver is never asked twice at once.
      const isAnswered = () => {
        fresh.atMs = performance.now();
      };
      fresh.answer.then(isAnswered, isAnswered);
      known.set(key, fresh);
      entry = fresh;
    }
    entry.answer.then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family ?? 0);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };

  function ask(name: string, options: Parameters<LookupFunction>[1]): Promise<LookupAddress[]> {
    return new Promise((found, failed) => {
      resolve(name, { ...options, all: true }, (error, addresses) => (error ? failed(error) : found(addresses)));
    });
  }
}
