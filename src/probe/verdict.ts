/**
 * Whether a run passed: void first (it measured something else), then the thresholds.
 */

import type { BalancerVerdict } from "./balancer.ts";
import { isConnectionError, type Kind, kindLabels, kinds } from "./outcome.ts";
import type { Report } from "./run.ts";
import { LAG_LIMIT_MS } from "./schedule.ts";

/** Most losses of each sort that still pass; undefined: no limit. */
export interface Thresholds {
  readonly maxLost: number | undefined;
  readonly max5xx: number | undefined;
  readonly maxConnectionErrors: number | undefined;
}

/** What is to be said about a run, in sentences. */
export interface Verdict {
  /** Why the counts prove nothing; empty when they count. */
  readonly isVoid: readonly string[];
  /** Thresholds that were broken. */
  readonly broken: readonly string[];
  /** What a reader should know besides. */
  readonly notes: readonly string[];
}

/**
 * Judges a run. Losses that no given limit covers stay at 0; with no limit at all that is every loss, as if `--max-lost 0`
 * had been given.
 */
export function verdictOf(report: Report, given: Thresholds): Verdict {
  const isGiven = Object.values(given).some((limit) => limit !== undefined);
  const { maxLost, max5xx, maxConnectionErrors } = isGiven ? given : { ...given, maxLost: 0 };
  const { outcomes, lost } = report.totals;
  const connectionErrors = connectionErrorsOf(report);
  return {
    isVoid: voidReasons(report),
    broken: [
      ...over(lost, maxLost, "lost", "--max-lost"),
      ...over(outcomes["5xx"], max5xx, "5xx", "--max-5xx"),
      ...over(connectionErrors, maxConnectionErrors, "connection errors", "--max-connection-errors"),
      ...uncovered(report, { maxLost, max5xx, maxConnectionErrors }),
    ],
    notes: notes(report),
  };
}

/** Losses below HTTP's status codes. */
export function connectionErrorsOf({ totals }: Pick<Report, "totals">): number {
  return kinds.filter(isConnectionError).reduce((sum, kind) => sum + totals.outcomes[kind], 0);
}

/** What the balancer was seen to do; a void run has seen something else, so it says nothing. */
export function balancerOf({ balancer }: Report, { isVoid }: Verdict): BalancerVerdict | undefined {
  if (balancer === undefined || isVoid.length === 0) return balancer;
  return { verdict: "unknown", because: "The run is void." };
}

/** Losses beside the given limits: somebody who allows some 5xx has not allowed a reset. */
function uncovered({ totals }: Report, { maxLost, max5xx, maxConnectionErrors }: Thresholds): string[] {
  if (maxLost !== undefined) return [];
  const isCovered = (kind: Kind) =>
    kind === "ok" ||
    (kind === "5xx" && max5xx !== undefined) ||
    (isConnectionError(kind) && maxConnectionErrors !== undefined);
  const rest = kinds.filter((kind) => !isCovered(kind) && totals.outcomes[kind] > 0);
  const lost = rest.reduce((sum, kind) => sum + totals.outcomes[kind], 0);
  const names = rest.map((kind) => `${kindLabels[kind]} × ${totals.outcomes[kind]}`).join(", ");
  return lost === 0 ? [] : [`${lost} lost that no given --max covers (${names}), and those stay at 0.`];
}

function over(count: number, limit: number | undefined, what: string, flag: string): string[] {
  return limit !== undefined && count > limit ? [`${count} ${what}, and ${flag} allows ${limit}.`] : [];
}

function voidReasons({ totals, trigger, spec, isInterrupted }: Report): string[] {
  const reasons: string[] = [];
  if (isInterrupted) reasons.push("It was interrupted.");
  if (totals.outcomes.ok + totals.lost === 0 && !isInterrupted) reasons.push("No request ended.");
  if (totals.unsent > 0) {
    reasons.push(
      `${totals.unsent} requests were due and not sent, because --most-in-flight was reached; lower --rate or raise it.`,
    );
  }
  if (trigger === undefined || isInterrupted) return reasons;
  if (totals.lostBeforeTrigger > 0) {
    const first = totals.losses[0];
    const seen = first === undefined ? "" : ` (first: ${first.text} from ${first.target})`;
    reasons.push(
      `${totals.lostBeforeTrigger} of ${totals.endedBeforeTrigger} requests were lost before the trigger${seen}: the target must be healthy first.`,
    );
  }
  if (spec.scenario.name === "load" && trigger.state !== "not run" && totals.endedBeforeTrigger === 0) {
    reasons.push("No request had ended before the trigger, so nothing says that the target was healthy.");
  }
  if (trigger.state === "not run") reasons.push("The run was over before --trigger-at.");
  if (trigger.state === "cut short") reasons.push("The load was over before the trigger's command was; run it longer.");
  if (trigger.state === "ended" && trigger.code !== 0) {
    reasons.push(`The trigger's command ended with ${trigger.code}, so it may have done nothing.`);
  }
  return reasons;
}

function notes({ punctuality, totals, haproxyError }: Report): string[] {
  const { max } = punctuality.lagMs;
  return [
    ...(max > LAG_LIMIT_MS
      ? [
          `The generator was up to ${Math.round(max)} ms behind its own schedule; latencies up to that are not the target's.`,
        ]
      : []),
    ...(haproxyError === undefined ? [] : [`HAProxy's counters are missing. ${haproxyError}`]),
    ...(totals.losses.length < totals.lost
      ? [`Only the first ${totals.losses.length} losses were kept one by one.`]
      : []),
  ];
}
