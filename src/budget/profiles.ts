/**
 * What each kind of load balancer understands: data, not code.
 *
 * Without a policy the profile is `generic`. 404 is never a default answer: where nobody configured the load balancer
 * for it, a 404 is a failed check.
 */
import type { LbProfileName } from "../policy/schema.ts";
import type { Seconds } from "../units/duration.ts";

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

/** What one kind of load balancer understands. */
export interface LbProfile {
  /** Stops new work and keeps the old; undefined: the balancer has none, so 200 is held. */
  readonly drainAnswer: Answer | undefined;
  /** Takes the backend down. */
  readonly closeAnswer: Answer;
  /** Undefined where there is no drain answer. */
  readonly detection: Detection | undefined;
  readonly checkInterval: Seconds;
  readonly checkFall: number;
  /** The least that the balancer takes, where that is more than a second and one check; less would be refused there. */
  readonly least?: CheckLimits;
  /** Whether going DOWN cuts what is in flight, for people. */
  readonly killsSessions: string;
  /** What to set at the balancer, for people. */
  readonly doc: string;
}

const close: Answer = { status: 503 };
const keeps = { drainAnswer: close, closeAnswer: close, detection: "interval × fall", killsSessions: "no" } as const;

/** AWS: interval 5 to 300 s, timeout 2 to 120 s, both thresholds 2 to 10. */
const AWS: CheckLimits = { checkInterval: 5, checkTimeout: 2, checks: 2 };

/** Azure: a probe's interval is at least 5 s. */
const AZURE: CheckLimits = { checkInterval: 5, checkTimeout: 1, checks: 1 };

/** The profiles by name. */
export const profiles: Readonly<Record<LbProfileName, LbProfile>> = {
  generic: {
    drainAnswer: undefined,
    closeAnswer: close,
    detection: undefined,
    checkInterval: 2,
    checkFall: 2,
    killsSessions: "assume yes",
    doc: "any balancer that takes 200 for up and 503 for down",
  },
  haproxy: {
    drainAnswer: { status: 404 },
    closeAnswer: close,
    detection: "1 × interval",
    checkInterval: 2,
    checkFall: 3,
    killsSessions: "only with on-marked-down shutdown-sessions",
    doc: "HAProxy with http-check disable-on-404",
  },
  netscaler: {
    drainAnswer: undefined,
    closeAnswer: close,
    detection: undefined,
    checkInterval: 5,
    checkFall: 3,
    killsSessions: "with downStateFlush ENABLED, its default",
    doc: "NetScaler with a plain HTTP monitor",
  },
  "netscaler-trofs": {
    drainAnswer: { status: 404, body: "DRAINING\n" },
    closeAnswer: close,
    detection: "1 × interval",
    checkInterval: 5,
    checkFall: 3,
    killsSessions: "with downStateFlush ENABLED, its default",
    doc: "NetScaler with -trofsCode 404 or -trofsString DRAINING",
  },
  f5: {
    drainAnswer: { status: 200, body: "DRAINING\n" },
    closeAnswer: close,
    detection: "1 × interval",
    checkInterval: 5,
    checkFall: 3,
    killsSessions: "by the pool's action on service down",
    doc: "F5 with the receive disable string DRAINING",
  },
  "aws-nlb": {
    drainAnswer: undefined,
    closeAnswer: close,
    detection: undefined,
    checkInterval: 30,
    least: AWS,
    checkFall: 3,
    killsSessions: "yes",
    doc: "AWS NLB with connection termination on, its default",
  },
  "aws-nlb-keep": {
    ...keeps,
    checkInterval: 30,
    least: AWS,
    checkFall: 3,
    doc: "AWS NLB with unhealthy.connection_termination.enabled=false",
  },
  "aws-alb": { ...keeps, least: AWS, checkInterval: 30, checkFall: 2, doc: "AWS ALB" },
  gcp: { ...keeps, checkInterval: 5, checkFall: 2, doc: "Google Cloud load balancing" },
  azure: { ...keeps, least: AZURE, checkInterval: 5, checkFall: 2, doc: "Azure Load Balancer" },
  "nginx-plus": { ...keeps, checkInterval: 5, checkFall: 1, doc: "NGINX Plus with active health checks" },
  envoy: {
    drainAnswer: close,
    closeAnswer: close,
    detection: "1 × interval",
    checkInterval: 5,
    checkFall: 2,
    killsSessions: "no",
    doc: "Envoy as the balancer, with active health checks",
  },
};
