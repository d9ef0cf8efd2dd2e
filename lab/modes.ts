/**
 * The ways in which a gateway and its load balancer are set up. `current` is how people run Istio today, and has to fail
 * here as it failed for them; the others are what Gracegate makes of it.
 */
import type { JsonObject } from "../src/pod/json.ts";

/** The name of a mode. */
export type ModeName = "current" | "runbook" | "same-node" | "improved" | "improved-no-min-ready";

/** What differs between the modes. */
export interface Mode {
  readonly name: ModeName;
  /** What a reader of the table needs to know. */
  readonly says: string;
  /** Whether the namespace is opted in. */
  readonly optedIn: boolean;
  /** The profile of the policy. */
  readonly profile: "generic" | "haproxy";
  /** What HAProxy asks: the proxy's own readiness, or hc. */
  readonly check: "proxy" | "hc";
  /** `http-check disable-on-404` at HAProxy. */
  readonly disableOn404: boolean;
  /** Whether a replacement may start beside the old pod on its node; else a node has one gateway at a time. */
  readonly replacementBeside: boolean;
  readonly minReadySeconds: number;
  /**
   * Seconds that the policy lets a drain take under steady load. A balancer without a drain answer sends new requests
   * until the end, so a drain never gets quiet and each rollout would last twice the whole of it.
   */
  readonly drainTimeoutUnderLoad: number;
}

/** Longer than the longest request of any scenario. */
export const DRAIN_TIMEOUT_S = 120;

/** HAProxy's checks: two a second, DOWN after two bad ones, UP after two good ones, each with a second to answer. */
export const CHECK = { intervalMs: 500, fall: 2, rise: 2, timeoutMs: 1000 } as const;

/** checkTimeout + checkRise × checkInterval + 2 s: so long a new gateway waits until the balancer has it UP. */
const MIN_READY_S = (CHECK.timeoutMs + CHECK.rise * CHECK.intervalMs) / 1000 + 2;

const improved: Mode = {
  name: "improved",
  says: "profile `haproxy`, and `http-check disable-on-404` at HAProxy",
  optedIn: true,
  profile: "haproxy",
  check: "hc",
  disableOn404: true,
  replacementBeside: false,
  minReadySeconds: MIN_READY_S,
  drainTimeoutUnderLoad: DRAIN_TIMEOUT_S,
};

/** All modes, in the order of the table. */
export const modes: readonly Mode[] = [
  {
    ...improved,
    name: "current",
    says: "namespace not opted in, HAProxy checks Istio's 15021",
    optedIn: false,
    profile: "generic",
    check: "proxy",
    disableOn404: false,
  },
  {
    ...improved,
    name: "runbook",
    says: "profile `generic`, nothing changed at HAProxy, which asks hc",
    profile: "generic",
    disableOn404: false,
    drainTimeoutUnderLoad: 15,
  },
  {
    ...improved,
    name: "same-node",
    says: "as runbook, and the replacement starts beside the old pod on its node",
    profile: "generic",
    disableOn404: false,
    replacementBeside: true,
    drainTimeoutUnderLoad: 15,
  },
  improved,
  {
    ...improved,
    name: "improved-no-min-ready",
    says: "as improved, but without `minReadySeconds`, so the second may go before HAProxy has the first one UP again",
    minReadySeconds: 0,
  },
];

/** The policy of a mode. */
export function policyOf(mode: Mode, drainTimeout: number): JsonObject {
  return {
    gateway: {
      drainTimeout: `${drainTimeout}s`,
      loadBalancer: {
        profile: mode.profile,
        checkInterval: `${CHECK.intervalMs}ms`,
        checkFall: CHECK.fall,
        checkRise: CHECK.rise,
        checkTimeout: `${CHECK.timeoutMs}ms`,
      },
      // What no drain of this mode is to reach need not be waited for twice.
      ...(drainTimeout === DRAIN_TIMEOUT_S ? {} : { margin: "10s" }),
      hc: { imagePullPolicy: "Never" },
    },
  };
}
