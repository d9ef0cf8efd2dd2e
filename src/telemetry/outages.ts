/**
 * For how long something has been failing. A count of errors does not tell: three watches that lose the same API server
 * for ten seconds make as many errors as one that is lost for minutes.
 */

/** Tries come closer together than this: a wait of half a minute at most, and a request that is given up. */
const QUIET_MS = 120_000;

/** The outages of several things, by name. */
export class Outages {
  readonly #clock: () => number;
  readonly #quietMs: number;
  readonly #errors = new Map<string, { readonly first: number; readonly last: number }>();

  /**
   * @param clock one that only goes forward, milliseconds
   * @param quietMs an outage is over when there was no error for longer than this
   */
  constructor(clock: () => number = () => performance.now(), quietMs: number = QUIET_MS) {
    this.#clock = clock;
    this.#quietMs = quietMs;
  }

  /** Notes an error. */
  failed(name: string): void {
    const last = this.#clock();
    const first = this.#lasting(name)?.first ?? last;
    this.#errors.set(name, { first, last });
  }

  /** Seconds from the first error to the last of the outage that lasts; 0 where none does. */
  seconds(name: string): number {
    const outage = this.#lasting(name);
    return outage === undefined ? 0 : (outage.last - outage.first) / 1000;
  }

  #lasting(name: string) {
    const outage = this.#errors.get(name);
    return outage !== undefined && this.#clock() - outage.last <= this.#quietMs ? outage : undefined;
  }
}
