/**
 * Who goes when there is no more room: among those of the address that takes the most, the one that has stood still for
 * longest. One stranger, however many connections it opens, pushes out its own and not those of the API server; and where
 * an address translation makes them look alike, a caller that has just said something stays.
 */

/** Something that takes room. */
export interface Holder {
  /** Whose it is: an address of the network. */
  readonly address: string;
  /** How much it takes, in a unit of the room's own. */
  readonly weight: number;
  /** When it last got anywhere, on a clock that only goes forward. */
  readonly since: number;
}

/**
 * The holder that goes first; undefined where there is none.
 *
 * Looks at every holder once: it is asked only when the room is full.
 */
export function firstToGo<T extends Holder>(holders: ReadonlySet<T>): T | undefined {
  const byAddress = new Map<string, { weight: number; oldest: T }>();
  for (const holder of holders) {
    const crowd = byAddress.get(holder.address);
    if (crowd === undefined) byAddress.set(holder.address, { weight: holder.weight, oldest: holder });
    else {
      crowd.weight += holder.weight;
      if (holder.since < crowd.oldest.since) crowd.oldest = holder;
    }
  }
  let largest: { weight: number; oldest: T } | undefined;
  for (const crowd of byAddress.values()) if (largest === undefined || crowd.weight > largest.weight) largest = crowd;
  return largest?.oldest;
}
