/** Numbers that look random and are the same for the same seed (mulberry32), so that a find can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A number from 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number below a bound. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** One of some values. */
  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}
