/**
 * What the load balancer in front of one gateway does with hc's answers: its profile with the policy's changes.
 */
import type { LbSettings } from "../policy/settings.ts";
import type { Seconds } from "../units/duration.ts";
import { type Answer, type CheckLimits, type LbProfile, profiles } from "./profiles.ts";

/** Detection counted for a balancer that has no drain answer, seconds: one look at it. */
const DETECTION_WITHOUT_ANSWER: Seconds = 2;

/** What the LB buffer adds to interval × fall, seconds: a check's own time and the balancer's bookkeeping. */
const BUFFER_EXTRA: Seconds = 5;

/** A load balancer's view of a gateway. */
export interface LoadBalancer {
  readonly checkInterval: Seconds;
  readonly checkFall: number;
  readonly checkRise: number;
  readonly checkTimeout: Seconds;
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
  const { least = LEAST } = profile;
  const checkInterval = Math.max(settings.checkInterval?.value ?? profile.checkInterval, least.checkInterval);
  const checkFall = Math.max(settings.checkFall?.value ?? profile.checkFall, least.checks);
  const drainAnswer = drainAnswerOf(profile, settings.answers.draining);
  const computed = checkInterval * checkFall + BUFFER_EXTRA;
  return {
    checkInterval,
    checkFall,
    checkRise: Math.max(settings.checkRise.value, least.checks),
    checkTimeout: Math.max(settings.checkTimeout.value, least.checkTimeout),
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
