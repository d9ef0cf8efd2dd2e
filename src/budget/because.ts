/**
 * Why a value is what it is: made where the value is made, and carried with it.
 *
 * A reason is a tag, what it was made of, and where that comes from. Code decides by the tag; src/report/because.ts
 * makes the sentence that a person reads.
 */
import type { Sourced } from "../policy/layers.ts";
import type { Milliseconds } from "../units/milliseconds.ts";
import type { Formula } from "./formula.ts";

/** A value with its reason. */
export interface Reasoned<T> {
  readonly value: T;
  readonly because: Because;
}

/** A span of time with its reason. */
export type Duration = Reasoned<Milliseconds>;

/** A setting, or what stands in the pod in its place. */
export interface Said {
  /** `loadBalancer.buffer`, as a policy has it. */
  readonly setting: string;
  readonly value: Milliseconds | boolean | string;
  /** `GracePolicy shop/default`, `the pod`. */
  readonly origin: string;
}

/** Computed from the requests' 99th percentile. */
export interface P99 {
  readonly tag: "p99";
  readonly p99: Sourced<Milliseconds>;
  readonly formula: Formula;
}

/** Why the drain timeout, or the length of the drain that follows from it, is what it is. */
type OfDrain =
  | P99
  /** The balancer's detection of the drain answer is longer. */
  | { readonly tag: "detection"; readonly p99: P99; readonly detection: Milliseconds }
  /** What is written in the pod for the whole drain, less the application's stop. */
  | { readonly tag: "own drain" }
  | { readonly tag: "least drain" }
  | { readonly tag: "left over"; readonly grace: Milliseconds; readonly margin: Sourced<Milliseconds> }
  /** The limit of the grace period left less. */
  | { readonly tag: "shortened"; readonly wanted: Duration; readonly limit: Said }
  | {
      readonly tag: "drain";
      readonly appStop: Milliseconds;
      readonly drainTimeout: Duration;
      /** How long the proxy's own hook holds it meanwhile; 0 for a gateway. */
      readonly hook: Milliseconds;
    };

/** Why the proxy stays as long as it does, and the pod. */
type OfEnd =
  | { readonly tag: "least minimum"; readonly held: boolean }
  | { readonly tag: "outlives"; readonly appStop: Milliseconds }
  /** What the balancer needs when the hook does not cover it. */
  | { readonly tag: "balancer"; readonly needs: Formula; readonly hook: Milliseconds }
  | { readonly tag: "accepts"; readonly longerThan: Milliseconds }
  | { readonly tag: "no hook" }
  | { readonly tag: "own hook" }
  | { readonly tag: "sum"; readonly formula: Formula }
  /** The user's own grace period, or the wish of an override, is longer. */
  | { readonly tag: "users"; readonly formula: Formula; readonly origin: string }
  /** The limit is less than what was needed. */
  | { readonly tag: "limit"; readonly formula: Formula; readonly needed: Milliseconds }
  | { readonly tag: "checks"; readonly formula: Formula; readonly extra: Milliseconds; readonly origin: string };

/** A reason. */
export type Because = ({ readonly tag: "set" } & Said) | OfDrain | OfEnd;

/** A setting's value, because somebody set it. */
export function setBy<T extends Said["value"]>(
  setting: string,
  { value, origin }: { readonly value: T; readonly origin: string },
): Reasoned<T> {
  return { value, because: { tag: "set", setting, value, origin } };
}
