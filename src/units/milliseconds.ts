/**
 * Spans of time as they are counted here: whole milliseconds, until somebody wants whole seconds.
 *
 * The type has a brand, so that no number of seconds is taken for one of milliseconds. What arithmetic makes of two of
 * them is a number again; `ms` says that it still is a span of time.
 */

declare const unit: unique symbol;

/** A span of time in whole milliseconds. */
export type Milliseconds = number & { readonly [unit]: "ms" };

/** A number of milliseconds as a span of time; a fraction is rounded up, so that it never takes time from a request. */
export function ms(count: number): Milliseconds {
  // A sum of fractions may be a hair over the whole number that was meant; a nanosecond is more than that. 0 has no sign.
  return (Math.ceil(count - 1e-7) + 0) as Milliseconds;
}

/** A number of seconds, which may have a fraction, as a span of time. */
export function seconds(count: number): Milliseconds {
  return ms(count * 1000);
}

/** A span of time in seconds, with a fraction where it has one. */
export function inSeconds(span: Milliseconds): number {
  return span / 1000;
}

/** The same span, or the next one of whole seconds: what Istio and Kubernetes want. */
export function wholeSeconds(span: Milliseconds): Milliseconds {
  return (Math.ceil(span / 1000) * 1000) as Milliseconds;
}

/** Writes a span the one way in which this program writes all of them: `90s`, `1.5s`, `500ms`. */
export function formatDuration(span: Milliseconds): string {
  return span > 0 && span < 1000 ? `${span}ms` : `${inSeconds(span)}s`;
}
