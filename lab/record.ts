/**
 * What one run of one scenario in one mode showed: the rows from which table and page are made, and nothing else.
 */
import type { Ending } from "./endings.ts";
import type { ModeName } from "./modes.ts";
import type { ProbeReport } from "./probe.ts";

/** The scenarios. */
export const scenarioNames = ["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S10"] as const;

/** One of them. */
export type ScenarioName = (typeof scenarioNames)[number];

/** One run. */
export interface Record {
  readonly scenario: ScenarioName;
  /** Where a scenario has parts: which. */
  readonly part?: string;
  readonly mode: ModeName;
  readonly repeat: number;
  readonly started: number;
  readonly lost: number;
  readonly answered5xx: number;
  readonly connectionErrors: number;
  /** Losses by class and detail: `5xx 502` → 3. */
  readonly losses: Readonly<{ [kind: string]: number }>;
  /** What was lost where nothing happened; S10. */
  readonly lostElsewhere?: number;
  /** What a person would say it showed: `502 at 6.2 s`. */
  readonly words: string;
  /** Why the run proves nothing; empty where it proves something. */
  readonly isVoid: readonly string[];
  /** The pods that ended in it. */
  readonly pods: readonly Ending[];
  readonly failedHooks: number;
  /** The plots, by file name. */
  readonly plots: readonly string[];
}

/** The exit code of a process that got SIGKILL. */
const SIGKILLED = 137;

/** Adds up reports of one run. */
export function countsOf(
  reports: readonly ProbeReport[],
): Pick<Record, "started" | "lost" | "answered5xx" | "connectionErrors" | "losses"> {
  const sum = (of: (report: ProbeReport) => number) => reports.reduce((total, report) => total + of(report), 0);
  const losses: { [kind: string]: number } = {};
  for (const { details, outcomes } of reports) {
    for (const [kind, times] of Object.entries(outcomes)) {
      if (kind === "ok" || times === 0) continue;
      const known = Object.entries(details[kind] ?? {});
      for (const [detail, number] of known.length === 0 ? [["", times] as const] : known) {
        const name = `${kind} ${detail}`.trim();
        losses[name] = (losses[name] ?? 0) + number;
      }
    }
  }
  return {
    started: sum(({ started }) => started),
    lost: sum(({ lost }) => lost),
    answered5xx: sum(({ outcomes }) => outcomes["5xx"] ?? 0),
    connectionErrors: sum(({ connectionErrors }) => connectionErrors),
    losses,
  };
}

/** `S8 eviction`: a scenario, with its part where it has parts. */
export function scenarioOf({ scenario, part }: Pick<Record, "scenario" | "part">): string {
  return part === undefined ? scenario : `${scenario} ${part}`;
}

/** `S8 eviction improved 1`: a run. */
export function nameOf(record: Pick<Record, "scenario" | "part" | "mode" | "repeat">): string {
  return `${scenarioOf(record)} ${record.mode} ${record.repeat}`;
}

/** How many requests the runs sent together. */
export function startedIn(runs: readonly Record[]): number {
  return runs.reduce((sum, { started }) => sum + started, 0);
}

/** Whether a pod of the run was killed by the kubelet. */
export function killedIn(record: Record): boolean {
  return record.pods.some(({ exitCodes }) => Object.values(exitCodes).includes(SIGKILLED));
}
