/**
 * The memory of one body that comes in pieces.
 *
 * The pieces are copied: a piece is a slice of the record that TLS brought, and an object of some hundred bytes, so a body
 * that comes byte by byte would take a hundred times what is counted (measured: 20 bodies of 100 kB took 220 MiB).
 */

/** Memory to begin with, bytes: what TLS brings in one record. */
const FIRST = 16 * 1024;

/** Memory that grows, and that is given back at once, without waiting for a garbage collection. */
export class BodyMemory {
  readonly #expected: number;
  #memory = new ArrayBuffer(0);
  #length = 0;

  /** @param expected the length of the whole body, bytes; Infinity where nobody said */
  constructor(expected: number) {
    this.#expected = expected;
  }

  /** What has come, bytes. */
  get length(): number {
    return this.#length;
  }

  /** What it takes, bytes: what has come, and up to as much again. */
  get size(): number {
    return this.#memory.byteLength;
  }

  /** What has come; not to be read after it is freed. */
  get bytes(): Buffer {
    return Buffer.from(this.#memory, 0, this.#length);
  }

  add(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    if (needed > this.size) {
      const doubled = Math.min(Math.max(FIRST, 2 * this.size), this.#expected);
      this.#memory = this.#memory.transfer(Math.max(needed, doubled));
    }
    new Uint8Array(this.#memory, this.#length).set(piece);
    this.#length = needed;
  }

  free(): void {
    this.#memory.transfer(0);
    this.#memory = new ArrayBuffer(0);
    this.#length = 0;
  }
}
