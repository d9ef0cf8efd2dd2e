/**
 * What every mutation gets to see, and what it gives back.
 */
import type { Answer } from "../balancers/profile.ts";
import type { Reasoned, Said } from "../budget/because.ts";
import type { Budget, ProxyStop } from "../budget/budget.ts";
import type { Notice } from "../codes/registry.ts";
import type { Facts } from "../pod/facts.ts";
import type { JsonObject, JsonValue } from "../pod/json.ts";
import type { ProxyConfig } from "../pod/proxy-config.ts";
import type { ProxyValues } from "../pod/proxy-values.ts";
import type { GatewaySettings, SidecarSettings } from "../policy/settings.ts";
import type { Milliseconds } from "../units/milliseconds.ts";
import type { HcPlan } from "./hc-plan.ts";
import type { Whys } from "./why.ts";

/** What is decided about a pod before anything is changed. */
export interface Context {
  readonly facts: Facts;
  /** The annotation proxy.istio.io/config; undefined where it cannot be used. */
  readonly config: ProxyConfig | undefined;
  /** The user's own values. */
  readonly users: ProxyValues;
  readonly role: GatewayRole | SidecarRole;
  readonly budget: Budget;
  readonly proxyStop: ProxyStop;
  /** The value for EXIT_ON_ZERO_ACTIVE_CONNECTIONS; undefined: it is not written. */
  readonly exitOnZero: Effective<boolean> | undefined;
  readonly minimumDrain: Wanted<Milliseconds> | undefined;
}

/** A value that goes into the pod. */
export interface Wanted<T> extends Reasoned<T> {
  /** An override says it, so it beats what the user wrote. */
  readonly overrides: boolean;
}

/** A value that somebody says. */
export interface Effective<T> extends Wanted<T> {
  /** The setting, whoever says it. */
  readonly setting: Said;
}

/** What only gateways have. */
export interface GatewayRole {
  readonly kind: "gateway";
  readonly settings: GatewaySettings;
  readonly hc: HcPlan;
  /** What the proxy's hook carries, so that hc knows it for the kubelet's; undefined: nothing. */
  readonly hookToken: string | undefined;
  readonly drainAnswer: Answer | undefined;
  readonly detection: Milliseconds;
}

/** What only sidecars have. */
export interface SidecarRole {
  readonly kind: "sidecar";
  readonly settings: SidecarSettings;
}

/** The result of one mutation. */
export interface Change {
  /** The pod; the same object where nothing changed. */
  readonly pod: JsonObject;
  /** What came from here: name → value, for the status annotation. */
  readonly wrote: Readonly<Record<string, JsonValue>>;
  /** Why the parts are as they are that the mutation is there for, whether it had to change them or not; asked for only where people read it. */
  readonly whys?: () => Whys;
  readonly notices?: readonly Notice[];
}

/** One step of the pipeline: changes a pod, or returns it as it came. */
export interface Mutation {
  readonly name: string;
  apply(pod: JsonObject, context: Context): Change;
}

/** A mutation that has nothing to do. */
export function unchanged(pod: JsonObject): Change {
  return { pod, wrote: {} };
}
