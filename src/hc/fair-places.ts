/**
 * Places that strangers share fairly: where they run out, the address that has the most gives one up, so that nobody can
 * crowd out an address that asks for little, as a load balancer and the kubelet do.
 */

/** Who has a place, by the address that asked. */
export class FairPlaces<Item> {
  // Maps and sets remember the order of their members: the first is the oldest.
  readonly #byAddress = new Map<string, Set<Item>>();
  #count = 0;

  /** How many places are taken. */
  get count(): number {
    return this.#count;
  }

  add(address: string, item: Item): void {
    const items = this.#byAddress.get(address) ?? new Set();
    if (items.has(item)) return;
    this.#byAddress.set(address, items.add(item));
    this.#count += 1;
  }

  /** Frees a place; one that is free already stays so. */
  delete(address: string, item: Item): void {
    const items = this.#byAddress.get(address);
    if (!items?.delete(item)) return;
    this.#count -= 1;
    if (items.size === 0) this.#byAddress.delete(address);
  }

  /** What the address with the most places has, the oldest first; of several such addresses the one that came first. */
  ofGreediest(): readonly Item[] {
    let most: ReadonlySet<Item> = new Set();
    for (const items of this.#byAddress.values()) if (items.size > most.size) most = items;
    return [...most];
  }

  /** What an address has, the oldest first. */
  of(address: string): readonly Item[] {
    return [...(this.#byAddress.get(address) ?? [])];
  }

  /** Everything, address by address. */
  *[Symbol.iterator](): Generator<Item> {
    for (const items of this.#byAddress.values()) yield* items;
  }
}
