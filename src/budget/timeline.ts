/**
 * One pod's termination in time: who does what when, and where it goes wrong. Seconds from the deletion.
 *
 * A timeline is made for the worst case that the budget is for: the longest request, started just before the deletion.
 */
import type { Seconds } from "../units/duration.ts";

/** Who acts. */
export type Lane = "kubelet" | "hc" | "balancer" | "endpoints" | "application" | "istio-proxy" | "requests";

/** What a stretch of time means: from serving as ever to gone. `lost`: what a request that died would have needed. */
export type Tone = "serving" | "draining" | "closing" | "waiting" | "down" | "lost";

/** A stretch of time in a lane. */
export interface Span {
  readonly lane: Lane;
  readonly from: Seconds;
  readonly to: Seconds;
  readonly label: string;
  readonly tone: Tone;
}

/** Something that happens at one moment. */
export interface Mark {
  readonly lane: Lane;
  readonly at: Seconds;
  readonly text: string;
  /** `death`: a request dies. `endless`: from here nothing but SIGKILL is certain to end it. */
  readonly kind: "event" | "death" | "endless";
}

/** A pod's termination. */
export interface Timeline {
  readonly role: "gateway" | "sidecar";
  /** When SIGKILL comes to whatever is left. */
  readonly gracePeriod: Seconds;
  /** How long there is something to show. */
  readonly length: Seconds;
  readonly lanes: readonly Lane[];
  readonly spans: readonly Span[];
  /** In order of time. */
  readonly marks: readonly Mark[];
}

/** What both roles' timelines depend on. */
export interface Termination {
  readonly gracePeriod: Seconds;
  /** How long istio-proxy's preStop holds it, and what it is. */
  readonly hook: Seconds;
  readonly hookName: string;
  readonly exitOnZero: boolean;
  readonly minimumDrain: Seconds;
  readonly terminationDrain: Seconds;
  /** After SIGTERM Envoy accepts for so long. */
  readonly drainDuration: Seconds;
  /** The longest request that shall survive. */
  readonly longest: Seconds;
}

/** Istio's terminationDrainDuration where nobody sets it. */
export const ISTIO_DRAIN: Seconds = 5;

/** If a preStop used up the whole grace period, the kubelet waits so much longer before SIGKILL. */
export const LAST_CHANCE: Seconds = 2;

/** Time that kube-proxies and meshed clients may take to drop an endpoint. */
export const ENDPOINTS_LAG: Seconds = 2;

/** Puts a timeline together: empty spans and lanes go, marks come in order. */
export function timelineOf(
  role: Timeline["role"],
  gracePeriod: Seconds,
  lanes: readonly Lane[],
  spans: readonly Span[],
  marks: readonly Mark[],
): Timeline {
  const filled = spans.filter(({ from, to }) => to > from);
  return {
    role,
    gracePeriod,
    length: Math.max(gracePeriod, ...filled.map(({ to }) => to)),
    lanes: lanes.filter((lane) => filled.some((one) => one.lane === lane)),
    spans: filled,
    marks: marks.toSorted((a, b) => a.at - b.at),
  };
}

/** The moments at which requests die, in order of time. */
export function deathsOf({ marks }: Timeline): readonly Mark[] {
  return marks.filter(({ kind }) => kind === "death");
}

/** A stretch of time in a lane. */
export function span(lane: Lane, from: Seconds, to: Seconds, label: string, tone: Tone): Span {
  return { lane, from, to, label, tone };
}

/** Something that happens. */
export function event(lane: Lane, at: Seconds, text: string): Mark {
  return { lane, at, text, kind: "event" };
}

/** The moment at which requests die. */
export function death(at: Seconds, text: string): Mark {
  return { lane: "requests", at, text, kind: "death" };
}
