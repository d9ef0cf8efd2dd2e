/**
 * What a balancer must be told, in the words of no balancer yet.
 */
import type { Answer } from "../../budget/profiles.ts";
import type { LbProfileName } from "../../policy/schema.ts";
import type { Seconds } from "../../units/duration.ts";

/** The numbers that go into a balancer's own language. */
export interface CheckSettings {
  readonly profile: LbProfileName;
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
