/**
 * What the load balancer in front of one gateway does with hc's answers: its profile with the policy's changes.
 */
import { level, type Sourced } from "../policy/layers.ts";
import type { LbSettings } from "../policy/settings.ts";
import type { Seconds } from "../units/duration.ts";
import { type Answer, type CheckLimits, type LbProfile, profiles } from "./profiles.ts";

/** Detection counted for a balancer that has no drain answer, seconds: one look at it. */
const DETECTION_WITHOUT_ANSWER: Seconds = 2;

/** What the LB buffer adds to interval × fall, seconds: a check's own time and the balancer's bookkeeping. */
const BUFFER_EXTRA: Seconds = 5;

/** A setting that this balancer cannot be given. */
export interface Raised {
  /** As people say it: `check interval`. */
  readonly name: string;
  readonly given: string;
  readonly least: string;
}

/** A load balancer's view of a gateway. */
export interface LoadBalancer {
  readonly checkInterval: Seconds;
  readonly checkFall: number;
  readonly checkRise: number;
  readonly checkTimeout: Seconds;
  /** Settings that are less than this balancer takes, and what it takes instead. */
  readonly raised: readonly Raised[];
  /** Undefined where the balancer has none: 200 is held. */
  readonly drainAnswer: Answer | undefined;
  /** Time until the balancer acts on the drain answer. */
  readonly detection: Seconds;
  readonly lbBuffer: Seconds;
  /** How lbBuffer came about, for people. */
  readonly lbBufferFrom: string;
}

/** What a balancer without limits of its own takes. */
const LEAST: CheckLimits = { checkInterval: 0, checkTimeout: 0, checks: 0 };

/** F5's monitor timeout, after which it takes a member down: a second more than its checks in a row need. */
export function f5Timeout(checkInterval: Seconds, checkFall: number): Seconds {
  return checkInterval * checkFall + 1;
}

/** Resolves the load balancer of a gateway. */
export function loadBalancerOf(settings: LbSettings): LoadBalancer {
  const profile = profiles[settings.profile.value];
  const raised: Raised[] = [];
  // What nobody chose is raised without a word.
  const atLeast = (
    name: string,
    least: number,
    unit: string,
    setting: Sourced<number> | undefined,
    otherwise: number,
  ) => {
    const value = setting?.value ?? otherwise;
    if (value >= least) return value;
    if (setting !== undefined && setting.level > level.builtIn) {
      raised.push({ name, given: `${value}${unit}`, least: `${least}${unit}` });
    }
    return least;
  };
  const { least = LEAST } = profile;
  const checkInterval = atLeast(
    "check interval",
    least.checkInterval,
    "s",
    settings.checkInterval,
    profile.checkInterval,
  );
  const checkFall = atLeast("fall", least.checks, "", settings.checkFall, profile.checkFall);
  const drainAnswer = drainAnswerOf(profile, settings.answers.draining);
  const computed = checkInterval * checkFall + BUFFER_EXTRA;
  return {
    checkInterval,
    checkFall,
    checkRise: atLeast("rise", least.checks, "", settings.checkRise, 0),
    checkTimeout: atLeast("check timeout", least.checkTimeout, "s", settings.checkTimeout, 0),
    raised,
    drainAnswer,
    detection: detectionOf(profile, drainAnswer, checkInterval, checkFall),
    lbBuffer: settings.buffer?.value ?? computed,
    lbBufferFrom: settings.buffer?.origin ?? `${checkInterval}s × ${checkFall} + ${BUFFER_EXTRA}s`,
  };
}

/** The drain answer of a profile with what a policy says instead; undefined where nothing tells it from 200. */
export function drainAnswerOf(
  profile: LbProfile,
  override: { readonly status?: number; readonly body?: string } | undefined,
): Answer | undefined {
  if (override === undefined) return profile.drainAnswer;
  const status = override.status ?? profile.drainAnswer?.status ?? 200;
  const body = override.body ?? profile.drainAnswer?.body;
  // A plain 200 tells the balancer nothing.
  if (status === 200 && body === undefined) return undefined;
  return body === undefined ? { status } : { status, body };
}

/** How long a balancer takes to act on its drain answer. */
export function detectionOf(
  profile: LbProfile,
  drainAnswer: Answer | undefined,
  checkInterval: Seconds,
  checkFall: number,
): Seconds {
  if (drainAnswer === undefined) return DETECTION_WITHOUT_ANSWER;
  const how = profile.detection ?? (drainAnswer.status >= 500 ? "interval × fall" : "1 × interval");
  return how === "1 × interval" ? checkInterval : checkInterval * checkFall;
}
