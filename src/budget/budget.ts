/**
 * The budget: every duration of one pod's termination, computed together, each with its reason. Milliseconds inside;
 * what Istio and Kubernetes get is in whole seconds, rounded up.
 *
 * Nothing else in this program does arithmetic on these durations; the webhook, `plan`, `explain` and `check` all use it.
 */
import { type Notice, notice } from "../codes/registry.ts";
import type { Sourced } from "../policy/layers.ts";
import type { DrainSetting } from "../policy/settings.ts";
import { formatDuration, type Milliseconds, seconds } from "../units/milliseconds.ts";
import { type Duration, type P99, setBy } from "./because.ts";
import { drainTimeoutOfP99 } from "./drain-timeout.ts";
import type { Formula } from "./formula.ts";
import type { GraceBounds } from "./limit.ts";

/** Envoy stops accepting this long after a drain that lets it exit, unless drainDuration says otherwise. */
export const ENVOY_DRAIN: Milliseconds = seconds(45);

/** Least time that the proxy's agent drains for, and Istio's own default. */
export const LEAST_DRAIN: Milliseconds = seconds(5);

/** The agent looks at its connections once a second, so its exit comes up to this much after the minimum drain. */
export const AGENT_TICK: Milliseconds = seconds(1);

/** What a gateway's proxy needs after its minimum drain when hc held it: hc ends it at + 2 s and leaves itself. */
export const AFTER_MINIMUM: Milliseconds = seconds(3);

/** Failing looks, one a second, after which hc's pod is not Ready: kube-proxy has to leave before Envoy does. */
export const UNREADY_LOOKS = 2;

/** What holds istio-proxy's SIGTERM back. */
export type ProxyStop =
  | { readonly kind: "Hold" | "Sleep" | "Sigterm" | "None" }
  /** The user's own hook; its length where that can be read. */
  | { readonly kind: "own"; readonly length: Milliseconds | undefined };

/** A pod's budget. */
export interface Budget {
  /** Longest wait for in-flight requests. */
  readonly drainTimeout: Duration;
  /** Time for the load balancer to notice the close answer; 0 for a sidecar. */
  readonly lbBuffer: Duration;
  /** How long istio-proxy's preStop holds it. */
  readonly hook: Duration;
  /** The longest application preStop that can be read; 0 for a gateway. */
  readonly appStop: Milliseconds;
  readonly terminationDrainDuration: Duration;
  readonly minimumDrainDuration: Duration;
  readonly exitOnZero: boolean;
  /** Undefined where Envoy's default of 45 s is enough. */
  readonly drainDuration: Duration | undefined;
  readonly margin: Milliseconds;
  /** What the pod needs; more than the limit where that is too small. */
  readonly needs: Milliseconds;
  /** terminationGracePeriodSeconds that the pod gets. */
  readonly gracePeriod: Duration;
  /** How the grace period that the pod needs came about, under the limit. */
  readonly formula: Formula;
  readonly notices: readonly Notice[];
}

/** What both roles' budgets depend on. */
export interface BudgetInput {
  /** A policy's, an override's or the user's own; undefined: computed. */
  readonly terminationDrainDuration: Duration | undefined;
  readonly minimumDrainDuration: Duration | undefined;
  readonly exitOnZero: boolean;
  readonly proxyStop: ProxyStop;
  readonly margin: Sourced<Milliseconds>;
  readonly grace: GraceBounds;
  /** The mesh's drainDuration; Envoy's default unless set. */
  readonly meshDrainDuration?: Milliseconds | undefined;
}

/** The drain timeout that a setting asks for. */
export function drainOf(setting: DrainSetting): Duration {
  if ("drainTimeout" in setting) return setBy("drainTimeout", setting.drainTimeout);
  const because = p99Of(setting.requestP99);
  return { value: because.formula.value, because };
}

/** What a 99th percentile makes. */
export function p99Of(p99: Sourced<Milliseconds>): P99 {
  return { tag: "p99", p99, formula: drainTimeoutOfP99(p99.value) };
}

/** Envoy's drainDuration where it must accept for longer than it would. */
export function accepting(time: Milliseconds, { meshDrainDuration = ENVOY_DRAIN }: BudgetInput): Duration | undefined {
  if (time <= meshDrainDuration) return undefined;
  return { value: time, because: { tag: "accepts", longerThan: meshDrainDuration } };
}

/** A claim about a budget, and the sentence for where it does not hold. */
export type BudgetRule = readonly [holds: boolean, sentence: () => string];

/** What holds for both roles: the grace period outlasts the proxy's drain. */
export function endRules(budget: Omit<Budget, "gracePeriod" | "notices" | "needs">, gracePeriod: Milliseconds) {
  const [hook, minimum] = [budget.hook.value, budget.minimumDrainDuration.value];
  const drain = budget.terminationDrainDuration.value;
  const text = formatDuration;
  const rules: readonly [BudgetRule, BudgetRule] = [
    [
      gracePeriod > drain,
      () => `the grace period of ${text(gracePeriod)} is not longer than terminationDrainDuration ${text(drain)}`,
    ],
    [
      gracePeriod >= hook + minimum + AGENT_TICK,
      () =>
        `the grace period of ${text(gracePeriod)} ends before the proxy can (preStop ${text(hook)} + MINIMUM_DRAIN_DURATION ${text(minimum)} + ${text(AGENT_TICK)})`,
    ],
  ];
  return rules;
}

/** The rules that do not hold. */
export function broken(rules: readonly BudgetRule[]): readonly Notice[] {
  return rules.filter(([holds]) => !holds).map(([, sentence]) => notice("GG302", { rule: sentence() }));
}
