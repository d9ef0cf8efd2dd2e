/**
 * Why a text is not YAML: the first thing that is wrong, and where.
 */

/** The first thing that is wrong with a text. */
export interface YamlProblem {
  /** Offset in the text. */
  readonly at: number;
  readonly reason: string;
}

/** Carries a problem out of the reader; never leaves this folder. */
export class YamlError extends Error {
  readonly at: number;

  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

/** Runs a reader, and makes its problem a value. */
export function attempt<T>(
  read: () => T,
): { readonly ok: true; readonly value: T } | ({ readonly ok: false } & YamlProblem) {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof YamlError) return { ok: false, at: error.at, reason: error.message };
    throw error;
  }
}
