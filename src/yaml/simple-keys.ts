/**
 * Keys without `?`: that something was a key shows at its colon, within 1024 characters on the same line.
 */
import { YamlError } from "./problem.ts";

/** Something that a colon may yet make a key. */
export interface SimpleKey {
  isPossible: boolean;
  /** Nothing but a key may stand there. */
  readonly isRequired: boolean;
  readonly at: number;
  readonly lineStart: number;
  readonly column: number;
  /** It is a key; with it a mapping may begin. */
  found: "key" | "mapping" | undefined;
}

/** Longest key that needs no `?`. */
const MAX_KEY = 1024;

/** What may become a key: one for each flow collection that is open, and one for the block around. */
export class SimpleKeys {
  readonly #levels: (SimpleKey | undefined)[] = [undefined];

  /** Flow collections that are open. */
  get depth(): number {
    return this.#levels.length - 1;
  }

  open(): void {
    this.#levels.push(undefined);
  }

  close(): void {
    if (this.depth > 0) this.#levels.pop();
  }

  save(key: SimpleKey): SimpleKey {
    this.forget();
    this.#levels[this.depth] = key;
    return key;
  }

  /** The key that a colon at an offset makes one, if any. */
  takeAt(at: number, lineStart: number): SimpleKey | undefined {
    const key = this.#levels[this.depth];
    this.#levels[this.depth] = undefined;
    if (key === undefined || !isStillPossible(key, at, lineStart)) return undefined;
    key.isPossible = false;
    return key;
  }

  /** What was saved is no key. */
  forget(): void {
    const key = this.#levels[this.depth];
    if (key?.isPossible) refuse(key);
    this.#levels[this.depth] = undefined;
  }
}

/** Whether a colon at or behind an offset could still make it a key. */
export function isStillPossible(key: SimpleKey, at: number, lineStart: number): boolean {
  if (!key.isPossible) return false;
  if (key.lineStart === lineStart && key.at + MAX_KEY >= at) return true;
  refuse(key);
  return false;
}

function refuse(key: SimpleKey): void {
  if (key.isRequired) throw new YamlError(key.at, "a key without its colon");
  key.isPossible = false;
}
