/**
 * What one kind of load balancer is: data about its health check, and what somebody must set at it.
 *
 * Without a policy the profile is `generic`. 404 is never a default answer: where nobody configured the load balancer
 * for it, a 404 is a failed check.
 */
import type { Seconds } from "../units/duration.ts";
import type { OnDown } from "./on-down.ts";

/** An answer to a health check. */
export interface Answer {
  readonly status: number;
  /** Without it the body is the state's name. */
  readonly body?: string;
}

/** How fast the load balancer acts on the drain answer: with the next check, or after its fall. */
export type Detection = "1 × interval" | "interval × fall";

/** The smallest numbers that a balancer takes for its health check. */
export interface CheckLimits {
  readonly checkInterval: Seconds;
  readonly checkTimeout: Seconds;
  /** Of fall and of rise. */
  readonly checks: number;
}

/** Annotations of a Service that belong to a balancer: by them `check` sees where it asks. */
export interface ServiceAnnotations {
  /** Names of those that say at which port it asks. */
  readonly healthPort?: RegExp;
  /** Names and values with which it sends to the pods' addresses, and asks there. */
  readonly targetsPods?: Readonly<Record<string, string>>;
  /** The one with which it reaches a Service of any type. */
  readonly reaches?: string;
}

/** The numbers that go into a balancer's own language. */
export interface CheckSettings {
  readonly interval: Seconds;
  readonly fall: number;
  readonly rise: number;
  readonly timeout: Seconds;
  /** Port of the nodes at which hc answers. */
  readonly nodePort: number;
  /** Port of the pods at which hc answers, for a balancer whose targets they are. */
  readonly hcPort: number;
  /** What is asked for. */
  readonly path: string;
  readonly drainAnswer: Answer | undefined;
}

/** A balancer's settings, to paste. */
export interface BalancerText {
  /** What it is: `HAProxy`, `AWS CLI`. */
  readonly title: string;
  /** For code blocks. */
  readonly language: string;
  readonly text: string;
}

/** One kind of load balancer. */
export interface LbProfile {
  /** What to set at the balancer, for people: its row in docs/lb-profiles.md. */
  readonly doc: string;
  /** Stops new work and keeps the old; undefined: the balancer has none, so 200 is held. */
  readonly drainAnswer: Answer | undefined;
  /** The setting that makes its drain answer one, for people; undefined where 503 is it, or there is none. */
  readonly drainSetting?: string;
  /** Takes the backend down. */
  readonly closeAnswer: Answer;
  /** Undefined where there is no drain answer. */
  readonly detection: Detection | undefined;
  readonly checkInterval: Seconds;
  readonly checkFall: number;
  /** The least that the balancer takes, where that is more than a second and one check; less would be refused there. */
  readonly least?: CheckLimits;
  readonly onDown: OnDown;
  /** What else somebody must know before using it, sentences. */
  readonly cautions?: readonly string[];
  readonly annotations?: ServiceAnnotations;
  /** What to paste where. */
  settings(check: CheckSettings): readonly BalancerText[];
}

/** The close answer of every balancer so far. */
export const CLOSE: Answer = { status: 503 };

/** A balancer without a drain answer. */
export const withoutDrainAnswer = { drainAnswer: undefined, closeAnswer: CLOSE, detection: undefined } as const;

/** A balancer that keeps sessions when a backend goes DOWN: 503 is its drain answer too. */
export const keepsSessions = {
  drainAnswer: CLOSE,
  closeAnswer: CLOSE,
  detection: "interval × fall",
  onDown: { sessions: "kept" },
} as const;

/** Lines under a title. */
export function block(title: string, language: string, lines: readonly string[]): BalancerText {
  return { title, language, text: `${lines.join("\n")}\n` };
}
