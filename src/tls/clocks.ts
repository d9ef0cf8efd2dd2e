/**
 * Two clocks: the API server's and this machine's.
 *
 * Both are needed. The API server verifies the certificates, so its clock decides what is valid and what is made: a
 * replica whose own clock is wrong would otherwise renew too late, or issue what does not begin yet. But a control plane has
 * several API servers, and one of them may be wrong: by its clock alone all replicas would replace what every other API
 * server takes. So this machine's clock has a veto: the two decide together, and where they disagree nothing is written.
 * What is done has to be right by both: renewed when both say so, made to be valid by both, ended when both say so.
 */

/** Milliseconds since 1970. */
export interface Clocks {
  /** The API server's. It is the same for all replicas. */
  readonly server: number;
  /** This machine's. */
  readonly own: number;
}

/** When something is valid, milliseconds since 1970. */
export interface Life {
  readonly begin: number;
  readonly end: number;
}

/** Why something is not valid. */
export interface Invalid {
  /** The rest of a sentence about it. */
  readonly problem: string;
  /** Nothing may be written now: this replica may be the only one that sees it so. Later it can be decided. */
  readonly isUndecided: boolean;
}

/** The clocks differ if by more than this, milliseconds: the API server's answers show seconds. */
const SAME_CLOCK_MS = 5_000;

/** What begins within this time comes by itself, since somebody's clock is behind: it is not useless; milliseconds. */
const YOUNG_MS = 86_400_000;

/** Two clocks as they were read: one, where they agree. */
export function clocksOf(server: number, own: number): Clocks {
  return { server: Math.abs(server - own) < SAME_CLOCK_MS ? own : server, own };
}

/** What it is at least by both clocks: what has come by then has come for everybody. */
export function earliest({ server, own }: Clocks): number {
  return Math.min(server, own);
}

/** What it is at most by either clock. */
export function latest({ server, own }: Clocks): number {
  return Math.max(server, own);
}

/** Whether something is valid at a time, milliseconds since 1970. */
export function isValidAt({ begin, end }: Life, now: number): boolean {
  return now >= begin && now < end;
}

/** Why something is not valid by both clocks; undefined where it can be used. */
export function whyInvalid(life: Life, { server, own }: Clocks): Invalid | undefined {
  if (isValidAt(life, server)) return undefined;
  const hasEnded = server >= life.end;
  const problem = hasEnded ? `ended at ${dateOf(life.end)}` : `begins only at ${dateOf(life.begin)}`;
  const at = (clock: number) => new Date(clock).toISOString();
  const both = `it is ${at(server)} by the API server's clock, ${at(own)} by this machine's`;
  if (isValidAt(life, own)) return { problem: `${problem}, and the clocks differ: ${both}`, isUndecided: true };
  if (!hasEnded && life.begin - server < YOUNG_MS) return { problem: `${problem}: ${both}`, isUndecided: true };
  return { problem, isUndecided: false };
}

/** As OpenSSL writes it: `Dec  1 02:28:21 2026 GMT`. */
function dateOf(time: number): string {
  const [, day = "", month, year, clock] = new Date(time).toUTCString().split(" ");
  return `${month} ${day.replace(/^0/, " ")} ${clock} ${year} GMT`;
}
