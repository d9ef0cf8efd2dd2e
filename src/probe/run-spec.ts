/**
 * What a run is to do, complete and checked: made from the command line once, and only read afterwards.
 */
import type { ClientOptions } from "./client.ts";
import type { Target } from "./target.ts";
import type { TriggerPlan } from "./trigger.ts";

/** S1: long requests, each on its own connection. */
export interface LongScenario {
  readonly name: "long";
  readonly seconds: number;
  /** Requests per target, all at once. */
  readonly count: number;
}

/** S4: streamed bodies, one line a second. */
export interface StreamScenario {
  readonly name: "stream";
  readonly chunks: number;
  /** Requests per target, all at once. */
  readonly count: number;
}

/** S2 and S3: steady load. */
export interface LoadScenario {
  readonly name: "load";
  /** Requests per second over all targets. */
  readonly rate: number;
  readonly durationMs: number;
  /** Share of requests on a new connection each, 0 to 1; the others go over the keep-alive connections. */
  readonly oneShot: number;
  /** Share of long requests, 0 to 1. */
  readonly longShare: number;
  /** Path of the long requests. */
  readonly longPath: string;
  /** Requests in flight above which none is sent. */
  readonly mostInFlight: number;
}

/** Held TCP connections that send a line each interval and expect it back. */
export interface TcpScenario {
  readonly name: "tcp";
  /** Connections over all targets. */
  readonly connections: number;
  readonly durationMs: number;
  readonly intervalMs: number;
  /** Connections opened per second. */
  readonly openRate: number;
  /** Whether the target sends back what it gets. */
  readonly echoes: boolean;
}

/** The runbook's step 1: long requests and kept connections while a backend is disabled at the balancer. */
export interface WatchScenario {
  readonly name: "watch";
  readonly seconds: number;
  /** Long requests per target, and as many kept connections. */
  readonly count: number;
  /** Time between two short requests of a kept connection. */
  readonly intervalMs: number;
}

/** One of the scenarios. */
export type Scenario = LongScenario | StreamScenario | LoadScenario | TcpScenario | WatchScenario;

/** A whole run. */
export interface RunSpec {
  readonly scenario: Scenario;
  readonly targets: readonly Target[];
  readonly http2: boolean;
  readonly client: ClientOptions;
  /** Longest time of one request, from its start to the end of its answer. */
  readonly timeoutMs: number;
  readonly trigger: TriggerPlan | undefined;
  /** URL of HAProxy's stats in CSV, or the path of its socket. */
  readonly haproxyStats: string | undefined;
}
