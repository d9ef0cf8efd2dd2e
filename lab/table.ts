/**
 * The table of a run: a line a scenario and mode, with the median and the worst of its repetitions.
 */
import { aligned } from "../src/report/aligned.ts";
import { modes } from "./modes.ts";
import { killedIn, type Record, scenarioOf, startedIn } from "./record.ts";

/** One line. */
export interface Line {
  readonly scenario: string;
  readonly mode: string;
  readonly runs: readonly Record[];
}

/** Groups records by scenario, part and mode: scenarios in the order of their numbers, modes in theirs. */
export function linesOf(records: readonly Record[]): readonly Line[] {
  const lines = new Map<string, Record[]>();
  for (const record of records) {
    const key = [scenarioOf(record), record.mode].join("|");
    lines.set(key, [...(lines.get(key) ?? []), record]);
  }
  return [...lines]
    .map(([key, runs]) => ({ scenario: key.split("|")[0] ?? "", mode: key.split("|")[1] ?? "", runs }))
    .sort((one, other) => orderOf(one) - orderOf(other) || one.scenario.localeCompare(other.scenario));
}

/** The table as text. */
export function table(records: readonly Record[]): string {
  const rows = [
    ["scenario", "mode", "runs", "requests", "5xx", "connection errors", "shown", "gone after", "SIGKILL"],
    ...linesOf(records).map(({ scenario, mode, runs }) => [
      scenario,
      mode,
      `${runs.length}`,
      `${startedIn(runs)}`,
      medianAndWorst(runs.map(({ answered5xx }) => answered5xx)),
      medianAndWorst(runs.map(({ connectionErrors }) => connectionErrors)),
      shown(runs),
      goneAfter(runs),
      runs.some(killedIn) ? "yes" : "none",
    ]),
  ];
  return aligned(rows);
}

/** What was shown: the words of single requests, the sum of loads. */
export function shown(runs: readonly Record[]): string {
  const voids = runs.filter(({ isVoid }) => isVoid.length > 0).length;
  const isSingle = runs.every(({ started }) => started <= 2);
  const words = isSingle
    ? told(runs.map(({ words }) => words.replace(/ \(.*\)$/, "")))
    : `${runs.reduce((sum, { lost }) => sum + lost, 0)} lost${elsewhere(runs)}`;
  return voids === 0 ? words : `${words}, ${voids} void`;
}

/** What single requests showed, each, or once where all showed the same. */
function told(words: readonly string[]): string {
  const isOne = words.every((word) => word === words[0]);
  return isOne && words.length > 1 ? `${words[0]} each` : words.join(", ");
}

/** What the gateway lost to which nothing happened; S10 has a load of its own for it. */
function elsewhere(runs: readonly Record[]): string {
  if (runs.every(({ lostElsewhere }) => lostElsewhere === undefined)) return "";
  return `, ${runs.reduce((sum, { lostElsewhere = 0 }) => sum + lostElsewhere, 0)} at the other gateway`;
}

/** `12.3–14.0 s`: how long pods took from their deletion to their end. */
export function goneAfter(runs: readonly Record[]): string {
  const seconds = runs.flatMap(({ pods }) => pods.map((pod) => pod.seconds));
  if (seconds.length === 0) return "";
  const [least, most] = [Math.min(...seconds).toFixed(1), Math.max(...seconds).toFixed(1)];
  return least === most ? `${least} s` : `${least}–${most} s`;
}

/** `2`, or `2 (worst 4)`. */
export function medianAndWorst(values: readonly number[]): string {
  const sorted = [...values].sort((one, other) => one - other);
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  const worst = sorted.at(-1) ?? 0;
  return median === worst ? `${median}` : `${median} (worst ${worst})`;
}

function orderOf({ scenario, mode }: Line): number {
  return Number(/[0-9]+/.exec(scenario)?.[0]) * modes.length + modes.findIndex(({ name }) => name === mode);
}
