/**
 * The budget of a sidecar.
 *
 * The proxy must outlive the application: its preStop (appStop) and then the requests that it still answers (drain
 * timeout). Nothing set, it takes what the pod's grace period leaves. A native sidecar uses none of the proxy's own
 * durations, since Istio's hook drains it; its application needs the same time.
 */
import { type Notice, notice } from "../codes/registry.ts";
import type { DrainSetting } from "../policy/settings.ts";
import type { Seconds } from "../units/duration.ts";
import {
  AGENT_TICK,
  type Budget,
  boundedGrace,
  ENVOY_DRAIN,
  type GraceBounds,
  LEAST_DRAIN,
  LEAST_MARGIN,
  limitOf,
  type ProxyStop,
} from "./budget.ts";
import { drainTimeoutOfP99 } from "./drain-timeout.ts";
import { shrinkToFit } from "./shrink.ts";

/** Most that a sidecar drains for when only the grace period limits it: a long grace is not all for draining. */
const MOST_LEFT_OVER: Seconds = 40;

/** An application container's preStop, as it counts. */
export interface AppStop {
  readonly container: string;
  /** 0 where it cannot be read. */
  readonly seconds: Seconds;
  /** There is a preStop whose length cannot be read. */
  readonly isUnread?: boolean;
}

/** What a sidecar's budget depends on. */
export interface SidecarInput {
  readonly drain: DrainSetting | undefined;
  /** preStops whose length is known, also the ones that are added. */
  readonly appStops: readonly AppStop[];
  /** A policy's, an override's or the user's own; undefined: computed. */
  readonly terminationDrainDuration: Seconds | undefined;
  /** The user wrote terminationDrainDuration; the drain timeout follows it where nothing else says one. */
  readonly usersTerminationDrainDuration: Seconds | undefined;
  readonly minimumDrainDuration: Seconds | undefined;
  readonly exitOnZero: boolean;
  readonly proxyStop: ProxyStop;
  readonly margin: Seconds;
  readonly grace: GraceBounds;
  /** The mesh's drainDuration; Envoy's default unless set. */
  readonly meshDrainDuration?: Seconds | undefined;
}

/** Computes the budget of a sidecar. */
export function sidecarBudget(input: SidecarInput): Budget {
  const limit = limitOf(input.grace);
  const { appStop, notices } = longestStop(input, limit);
  const wanted = wantedDrain(input, appStop);
  const whole = withDrain(input, appStop, wanted, input.margin);
  if (whole.needs <= limit) return finish(input, whole, whole, notices);

  const shrunk = shrinkToFit(
    { drainTimeout: wanted, leastDrainTimeout: LEAST_DRAIN, margin: input.margin, leastMargin: LEAST_MARGIN },
    limit,
    (drainTimeout, margin) => withDrain(input, appStop, drainTimeout, margin).needs,
  );
  const fitted = withDrain(input, appStop, shrunk.drainTimeout, shrunk.margin);
  return finish(input, fitted, whole, [...notices, tooSmall(limit, whole, fitted)]);
}

function longestStop(input: SidecarInput, limit: Seconds): { appStop: Seconds; notices: readonly Notice[] } {
  const longest = input.appStops.reduce<AppStop>((a, b) => (b.seconds > a.seconds ? b : a), {
    container: "",
    seconds: 0,
  });
  const most = Math.max(0, limit - input.margin - LEAST_DRAIN - AGENT_TICK);
  if (longest.seconds <= most) return { appStop: longest.seconds, notices: [] };
  return { appStop: most, notices: [notice("GG304", { ...longest, most, limit })] };
}

function wantedDrain(input: SidecarInput, appStop: Seconds): Seconds {
  if (input.drain !== undefined) {
    return "drainTimeout" in input.drain
      ? input.drain.drainTimeout.value
      : drainTimeoutOfP99(input.drain.requestP99.value);
  }
  if (input.usersTerminationDrainDuration !== undefined) {
    return Math.max(LEAST_DRAIN, input.usersTerminationDrainDuration - appStop);
  }
  if (!input.exitOnZero) return LEAST_DRAIN;
  const left = input.grace.users - input.margin - appStop;
  return Math.min(Math.max(left, LEAST_DRAIN), MOST_LEFT_OVER);
}

type Computed = Omit<Budget, "gracePeriod" | "notices">;

/** The formulas, for one drain timeout and margin. */
function withDrain(input: SidecarInput, appStop: Seconds, drainTimeout: Seconds, margin: Seconds): Computed {
  const hook = hookOf(input.proxyStop, appStop);
  const terminationDrainDuration = Math.max(
    input.terminationDrainDuration ?? 0,
    appStop + drainTimeout - hook,
    LEAST_DRAIN,
  );
  const minimumDrainDuration = input.minimumDrainDuration ?? Math.max(LEAST_DRAIN, appStop - hook);
  const drain = Math.max(terminationDrainDuration, minimumDrainDuration + AGENT_TICK);
  const needs = hook + drain + margin;
  return {
    drainTimeout,
    lbBuffer: 0,
    hook,
    appStop,
    terminationDrainDuration,
    minimumDrainDuration,
    exitOnZero: input.exitOnZero,
    drainDuration: drain > (input.meshDrainDuration ?? ENVOY_DRAIN) ? drain : undefined,
    margin,
    needs,
    arithmetic: `${hook > 0 ? `${hook}s + ` : ""}${drain}s + ${margin}s = ${needs}s`,
  };
}

function hookOf(stop: ProxyStop, appStop: Seconds): Seconds {
  if (stop.kind === "Sleep") return Math.max(LEAST_DRAIN, appStop);
  return stop.kind === "own" ? (stop.seconds ?? 0) : 0;
}

function tooSmall(limit: Seconds, whole: Computed, fitted: Computed): Notice {
  const margin = fitted.margin < whole.margin ? `, margin ${fitted.margin}s` : "";
  const shrunk = `drain timeout ${fitted.drainTimeout}s${margin}`;
  const fits = fitted.needs <= limit ? shrunk : `even with ${shrunk} it needs ${fitted.needs}s`;
  return notice("GG301", { limit, needs: whole.arithmetic, shrunk: fits });
}

function finish(input: SidecarInput, computed: Computed, whole: Computed, notices: readonly Notice[]): Budget {
  const gracePeriod = boundedGrace(computed.needs, input.grace);
  return {
    ...computed,
    needs: whole.needs,
    gracePeriod,
    notices: [...notices, ...brokenRules(computed, gracePeriod)],
  };
}

/** What an explicit value or the limit broke. */
function brokenRules(computed: Computed, gracePeriod: Seconds): readonly Notice[] {
  const { hook, appStop, drainTimeout, exitOnZero } = computed;
  const { terminationDrainDuration: drain, minimumDrainDuration: minimum } = computed;
  const rules: readonly [boolean, string][] = [
    [gracePeriod > drain, `the grace period of ${gracePeriod}s is not longer than terminationDrainDuration ${drain}s`],
    [
      gracePeriod >= hook + minimum + AGENT_TICK,
      `the grace period of ${gracePeriod}s ends before the proxy can (preStop ${hook}s + MINIMUM_DRAIN_DURATION ${minimum}s + 1s)`,
    ],
    [
      gracePeriod > appStop + drainTimeout,
      `the grace period of ${gracePeriod}s leaves no time after the drain (application preStop ${appStop}s + drain timeout ${drainTimeout}s)`,
    ],
    [
      !exitOnZero || hook + minimum >= appStop,
      `the proxy may leave after ${hook + minimum}s (MINIMUM_DRAIN_DURATION ${minimum}s), before the application's preStop of ${appStop}s ends`,
    ],
  ];
  return rules.filter(([holds]) => !holds).map(([, rule]) => notice("GG302", { rule }));
}
