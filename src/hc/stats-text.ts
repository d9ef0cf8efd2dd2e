/**
 * Envoy's stats as text: one `name: value` a line, histograms and text readouts among them.
 *
 * Names hold dots, `|`, `;` and brackets (`http.outbound_0.0.0.0_8443;.downstream_rq_active`), so only the last `: ` of
 * a line parts it. The JSON form costs Envoy twice as much, the Prometheus form mangles names with dots.
 */

/** Stats by name. */
export type Stats = ReadonlyMap<string, number>;

const LINE = /^(\S+): ([0-9]+)$/;

/** Values that are no number, which a filter for gauges and counters does not let through. */
const OTHER = /^\S+: (".*"|No recorded values|P0\(.*)$/;

/**
 * Reads the text.
 *
 * @returns undefined if a line is neither a number nor another kind of stat: a garbled answer is no answer
 */
export function parseStats(text: string): Stats | undefined {
  const stats = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "" || OTHER.test(line)) continue;
    const [, name, value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    stats.set(name, Number(value));
  }
  // An answer that was cut in the middle of a line ends without a newline; a cut number would read as another one.
  return text === "" || text.endsWith("\n") ? stats : undefined;
}
