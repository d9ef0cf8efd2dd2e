/**
 * Envoy's stats as text: one `name: value` a line, histograms and text readouts among them.
 *
 * Names hold dots, `|`, `;` and brackets (`http.outbound_0.0.0.0_8443;.downstream_rq_active`), so only the last `: ` of
 * a line parts it. The JSON form costs Envoy twice as much, the Prometheus form mangles names with dots.
 *
 * A gateway of a big mesh has a cluster for every service, many megabytes of text. So it is read while it comes, and
 * nothing of it is kept but the line that is not whole yet.
 */

/** Longest line that is read whole, characters; a name of Istio's has a few hundred. */
const MOST_LINE = 4096;

/** What is kept of both ends of a longer one, characters. */
const END = 256;

/** A counter or gauge of 64 bits has at most 20 digits. */
const NUMBER = /^[0-9]{1,20}$/;

/** Values that are no number, which a filter for gauges and counters does not let through. */
const OTHER = /^\S+: (".*"|No recorded values|P0\(.*)$/;

/** Stats that are shown only, so that the middle of their name is of no use. */
const SHOWN_ONLY = "cluster.";

/** Reads the text piece by piece. */
export class StatScanner {
  readonly #onStat: (name: string, value: number) => void;
  #rest = "";
  /** The beginning of a line that is too long; `#rest` is its end then. */
  #start = "";

  /** @param onStat gets every stat that is a number */
  constructor(onStat: (name: string, value: number) => void) {
    this.#onStat = onStat;
  }

  /**
   * Takes a piece.
   *
   * @returns false if a line is neither a number nor another kind of stat: a garbled answer is no answer
   */
  take(text: string): boolean {
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.#append(text.slice(from, end));
      if (!this.#line()) return false;
      from = end + 1;
    }
    this.#append(text.slice(from));
    return true;
  }

  /** Whether the text is whole: one that was cut in a line ends with a number that may read as another one. */
  end(): boolean {
    return this.#rest === "";
  }

  #append(text: string): void {
    this.#rest = this.#rest === "" ? text : this.#rest + text;
    if (this.#rest.length <= MOST_LINE) return;
    if (this.#start === "") this.#start = this.#rest.slice(0, END);
    this.#rest = this.#rest.slice(-END);
  }

  #line(): boolean {
    const [start, line] = [this.#start, this.#rest];
    this.#start = "";
    this.#rest = "";
    if (line === "") return true;
    const colon = line.lastIndexOf(": ");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 2)];
    const isNumber = colon > 0 && NUMBER.test(value) && !/\s/.test(name);
    if (start !== "") return isNumber && this.#long(start, Number(value));
    if (isNumber) this.#onStat(name, Number(value));
    return isNumber || OTHER.test(line);
  }

  /** A long name tells nothing about a zero, and enough about a stat that is only shown; of another it could hide work. */
  #long(start: string, value: number): boolean {
    if (value === 0) return true;
    if (!start.startsWith(SHOWN_ONLY)) return false;
    this.#onStat(`${start}…`, value);
    return true;
  }
}
