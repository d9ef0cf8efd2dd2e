/**
 * One pod's termination in time: who does what when, and where it goes wrong. Moments are milliseconds after the deletion.
 *
 * A timeline is made for the worst case that the budget is for: the longest request, started just before the deletion.
 */
import { ENVOY_DRAIN } from "../../budget/budget.ts";
import { formatDuration, type Milliseconds, ms, seconds } from "../../units/milliseconds.ts";

/** Who acts. */
export type Lane = "kubelet" | "hc" | "balancer" | "endpoints" | "application" | "istio-proxy" | "requests";

/** What a stretch of time means: from serving as ever to gone. `lost`: what a request that died would have needed. */
export type Tone = "serving" | "draining" | "closing" | "waiting" | "down" | "lost";

/** A stretch of time in a lane. */
export interface Span {
  readonly lane: Lane;
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly tone: Tone;
}

/** Something that happens at one moment. */
export interface Mark {
  readonly lane: Lane;
  readonly at: number;
  readonly text: string;
  /** `death`: a request dies. `endless`: from here nothing but SIGKILL is certain to end it. */
  readonly kind: "event" | "death" | "endless";
  /** Of a death: SIGKILL is what it dies of. */
  readonly isKilled?: boolean;
}

/** A pod's termination. */
export interface Timeline {
  readonly role: "gateway" | "sidecar";
  /** When SIGKILL comes to whatever is left. */
  readonly gracePeriod: Milliseconds;
  /** How long there is something to show. */
  readonly length: number;
  readonly lanes: readonly Lane[];
  readonly spans: readonly Span[];
  /** In order of time. */
  readonly marks: readonly Mark[];
}

/** istio-proxy's preStop: until hc is CLOSED, or for a time of its own. */
export type Hook =
  | { readonly kind: "held" }
  | { readonly kind: "timed"; readonly length: Milliseconds; readonly name: string };

/** What both roles' timelines depend on. */
export interface Termination {
  readonly gracePeriod: Milliseconds;
  /** What holds istio-proxy's SIGTERM back. */
  readonly hook: Hook;
  readonly exitOnZero: boolean;
  readonly minimumDrain: Milliseconds;
  readonly terminationDrain: Milliseconds;
  /** After SIGTERM Envoy accepts for so long. */
  readonly drainDuration: Milliseconds;
  /** The longest request that shall survive. */
  readonly longest: Milliseconds;
}

/** A moment or a span as people read it. */
export function said(moment: number): string {
  return formatDuration(ms(moment));
}

/** What a hook is called in a picture. */
export function nameOf(hook: Hook): string {
  return hook.kind === "held" ? "GET /drained" : hook.name;
}

/** Istio's terminationDrainDuration where nobody sets it. */
export const ISTIO_DRAIN: Milliseconds = seconds(5);

/** If a preStop used up the whole grace period, the kubelet waits so much longer before SIGKILL. */
export const LAST_CHANCE: Milliseconds = seconds(2);

/** Time that kube-proxies and meshed clients may take to drop an endpoint. */
export const ENDPOINTS_LAG: Milliseconds = seconds(2);

/** Puts a timeline together: empty spans and lanes go, marks come in order. */
export function timelineOf(
  role: Timeline["role"],
  gracePeriod: Milliseconds,
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
export function span(lane: Lane, from: number, to: number, label: string, tone: Tone): Span {
  return { lane, from, to, label, tone };
}

/** Something that happens. */
export function event(lane: Lane, at: number, text: string): Mark {
  return { lane, at, text, kind: "event" };
}

/** The moment at which requests die. */
export function death(at: number, text: string): Mark {
  return { lane: "requests", at, text, kind: "death" };
}

/** The moment at which SIGKILL ends requests. */
export function killed(at: number, what?: string): Mark {
  return { ...death(at, `SIGKILL after ${said(at)}${what === undefined ? "" : `, ${what}`}`), isKilled: true };
}

/** With EXIT_ON_ZERO an idle connection can hold the proxy from the moment at which it might be gone. */
export function endless(pod: Termination, sigterm: number, gone: number): Mark {
  const grace = pod.gracePeriod;
  const idle = Math.min(sigterm + Math.max(pod.drainDuration, ENVOY_DRAIN), grace);
  return {
    lane: "istio-proxy",
    at: gone,
    text: `an idle keep-alive connection can hold the proxy from here to SIGKILL at ${said(grace)} (Envoy from 1.40 on: ${said(idle)})`,
    kind: "endless",
  };
}
