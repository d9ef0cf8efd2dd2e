/**
 * What the load balancer in front of one gateway does with hc's answers: its profile with the policy's changes.
 */
import type { Answer, CheckLimits, LbProfile } from "../balancers/profile.ts";
import { profiles } from "../balancers/profiles.ts";
import type { LbSettings } from "../policy/settings.ts";
import { type Milliseconds, ms, seconds } from "../units/milliseconds.ts";
import { type Duration, setBy } from "./because.ts";
import { longest, sum, times } from "./formula.ts";

/** Detection counted for a balancer that has no drain answer: one look at it. */
const DETECTION_WITHOUT_ANSWER: Milliseconds = seconds(2);

/** What the LB buffer adds to interval × fall: a check's own time and the balancer's bookkeeping. */
const BUFFER_EXTRA: Milliseconds = seconds(5);

/** A load balancer's view of a gateway. */
export interface LoadBalancer {
  readonly checkInterval: Milliseconds;
  readonly checkFall: number;
  readonly checkRise: number;
  readonly checkTimeout: Milliseconds;
  /** Undefined where the balancer has none: 200 is held. */
  readonly drainAnswer: Answer | undefined;
  /** Time until the balancer acts on the drain answer. */
  readonly detection: Milliseconds;
  readonly lbBuffer: Duration;
}

/** What a balancer without limits of its own takes. */
const LEAST: CheckLimits = { checkInterval: 0, checkTimeout: 0, checks: 0 };

/** Resolves the load balancer of a gateway. */
export function loadBalancerOf(settings: LbSettings): LoadBalancer {
  const profile = profiles[settings.profile.value];
  const { least = LEAST } = profile;
  const checkInterval = longest(
    settings.checkInterval?.value ?? seconds(profile.checkInterval),
    seconds(least.checkInterval),
  );
  const checkFall = Math.max(settings.checkFall?.value ?? profile.checkFall, least.checks);
  const drainAnswer = drainAnswerOf(profile, settings.answers.draining);
  return {
    checkInterval,
    checkFall,
    checkRise: Math.max(settings.checkRise.value, least.checks),
    checkTimeout: longest(settings.checkTimeout.value, seconds(least.checkTimeout)),
    drainAnswer,
    detection: detectionOf(profile, drainAnswer, checkInterval, checkFall),
    lbBuffer: bufferOf(settings, checkInterval, checkFall),
  };
}

function bufferOf(settings: LbSettings, checkInterval: Milliseconds, checkFall: number): Duration {
  if (settings.buffer !== undefined) return setBy("buffer", settings.buffer);
  const formula = sum(times(checkInterval, checkFall), BUFFER_EXTRA);
  const { origin } = settings.checkInterval ?? settings.checkFall ?? settings.profile;
  return { value: formula.value, because: { tag: "checks", formula, extra: BUFFER_EXTRA, origin } };
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
  checkInterval: Milliseconds,
  checkFall: number,
): Milliseconds {
  if (drainAnswer === undefined) return DETECTION_WITHOUT_ANSWER;
  const how = profile.detection ?? (drainAnswer.status >= 500 ? "interval × fall" : "1 × interval");
  return how === "1 × interval" ? checkInterval : ms(checkInterval * checkFall);
}
