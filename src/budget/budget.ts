/**
 * The budget: every duration of one pod's termination, computed together. Seconds, rounded up.
 *
 * Nothing else in this program does arithmetic on these durations; the webhook, `plan`, `explain` and `check` all use it.
 */
import type { Notice } from "../codes/registry.ts";
import type { Seconds } from "../units/duration.ts";

/** Envoy stops accepting this long after a drain that lets it exit, unless drainDuration says otherwise. */
export const ENVOY_DRAIN: Seconds = 45;

/** Least time that the proxy's agent drains for, and Istio's own default. */
export const LEAST_DRAIN: Seconds = 5;

/** The agent looks at its connections once a second, so its exit comes up to this much after the minimum drain. */
export const AGENT_TICK: Seconds = 1;

/** What a gateway's proxy needs after its minimum drain when hc held it: hc ends it at + 2 s and leaves itself. */
export const AFTER_MINIMUM: Seconds = 3;

/** Failing looks after which hc's pod is not Ready (1 s × 2): kube-proxy has to leave before Envoy does. */
export const UNREADY_AFTER: Seconds = 2;

/** Least margin that a limit can shrink a margin to. */
export const LEAST_MARGIN: Seconds = 3;

/** What holds istio-proxy's SIGTERM back. */
export type ProxyStop =
  | { readonly kind: "Hold" | "Sleep" | "Sigterm" | "None" }
  /** The user's own hook; its length where that can be read. */
  | { readonly kind: "own"; readonly seconds: Seconds | undefined };

/** A pod's budget. */
export interface Budget {
  /** Longest wait for in-flight requests. */
  readonly drainTimeout: Seconds;
  /** Time for the load balancer to notice the close answer; 0 for a sidecar. */
  readonly lbBuffer: Seconds;
  /** How long istio-proxy's preStop holds it. */
  readonly hook: Seconds;
  /** The longest application preStop that can be read; 0 for a gateway. */
  readonly appStop: Seconds;
  readonly terminationDrainDuration: Seconds;
  readonly minimumDrainDuration: Seconds;
  readonly exitOnZero: boolean;
  /** Undefined where Envoy's default of 45 s is enough. */
  readonly drainDuration: Seconds | undefined;
  readonly margin: Seconds;
  /** What the pod needs; more than the limit where that is too small. */
  readonly needs: Seconds;
  /** terminationGracePeriodSeconds that the pod gets. */
  readonly gracePeriod: Seconds;
  /** How the grace period came about, for people: `max(36s + 9s, 36s) + 30s = 75s`. */
  readonly arithmetic: string;
  readonly notices: readonly Notice[];
}

/** The grace period that a pod may get at most, and the one that it gets. */
export interface GraceBounds {
  /** The pod's own grace period, or the wish of an override. */
  readonly users: Seconds;
  readonly max: Seconds;
}

/** The grace period that a pod gets: only ever raised, and not above the limit. */
export function boundedGrace(needs: Seconds, { users, max }: GraceBounds): Seconds {
  return Math.max(users, Math.min(needs, max));
}

/** The limit: a maximum never lowers what the user has. */
export function limitOf({ users, max }: GraceBounds): Seconds {
  return Math.max(users, max);
}
