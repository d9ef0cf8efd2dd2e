import { LB_PROFILES } from "../balancers/profiles.ts";
import { MAX_DURATION, parseMilliseconds } from "../units/duration.ts";
import type { Milliseconds } from "../units/milliseconds.ts";
import { nearest } from "./nearest.ts";
import type { PolicySpec } from "./schema.ts";

/** A role that overrides apply to. */
export type OverrideRole = "gateway" | "sidecar";

type Parsed = { readonly ok: true; readonly spec: PolicySpec } | Wrong;
type Wrong = { readonly ok: false; readonly is: string; readonly right: string };

/** One override. */
export interface Override {
  /** The name after `gracegate.dev/`. */
  readonly name: string;
  /** For people: `duration`, `true or false`, `Hold, Sleep, …`. */
  readonly type: string;
  readonly roles: readonly OverrideRole[];
  /** The setting that it overrides, below the role's part of a policy; empty where there is none. */
  readonly setting: string;
  readonly doc: string;
  parse(value: string, role: OverrideRole): Parsed;
}

const BOTH: readonly OverrideRole[] = ["gateway", "sidecar"];
const GATEWAY: readonly OverrideRole[] = ["gateway"];
const SIDECAR: readonly OverrideRole[] = ["sidecar"];

/** What fields of a policy an override sets, for a role. */
type ToSpec<T> = (value: T, role: OverrideRole) => PolicySpec;

function override<T>(
  name: string,
  roles: readonly OverrideRole[],
  setting: string,
  doc: string,
  kind: { readonly type: string; read(value: string, role: OverrideRole): { readonly value: T } | Omit<Wrong, "ok"> },
  toSpec: ToSpec<T>,
): Override {
  return {
    name,
    type: kind.type,
    roles,
    setting,
    doc,
    parse(value, role) {
      const read = kind.read(value.trim(), role);
      return "value" in read ? { ok: true, spec: toSpec(read.value, role) } : { ok: false, ...read };
    },
  };
}

const duration = {
  type: "duration",
  read(value: string): { value: Milliseconds } | Omit<Wrong, "ok"> {
    const parsed = parseMilliseconds(value);
    if (parsed.ok) return { value: parsed.milliseconds };
    return { is: `a duration (${parsed.reason})`, right: "36s, 1m30s or a number of seconds" };
  },
};

const flag = {
  type: "true or false",
  read(value: string): { value: boolean } | Omit<Wrong, "ok"> {
    if (value === "true" || value === "false") return { value: value === "true" };
    return { is: "true or false", right: '"true" or "false"' };
  },
};

function oneOf<T extends string>(words: (role: OverrideRole) => readonly T[]) {
  return {
    type: words("gateway").join(", "),
    read(value: string, role: OverrideRole): { value: T } | Omit<Wrong, "ok"> {
      const word = words(role).find((known) => known === value);
      if (word !== undefined) return { value: word };
      const guess = nearest(value, words(role));
      return { is: guess === undefined ? "known" : `known (did you mean ${guess}?)`, right: words(role).join(", ") };
    },
  };
}

function whole(minimum: number, maximum: number) {
  return {
    type: `number from ${minimum} to ${maximum}`,
    read(value: string): { value: number } | Omit<Wrong, "ok"> {
      const number = /^[0-9]+$/.test(value) ? Number(value) : Number.NaN;
      if (number >= minimum && number <= maximum) return { value: number };
      return { is: `a whole number from ${minimum} to ${maximum}`, right: `one, such as ${minimum}` };
    },
  };
}

const image = {
  type: "image",
  read(value: string): { value: string } | Omit<Wrong, "ok"> {
    if (/^[a-zA-Z0-9][^\s]{0,511}$/.test(value)) return { value };
    return { is: "an image", right: "its name with a tag or a digest" };
  },
};

const shared =
  <K extends string>(field: K) =>
  (value: unknown, role: OverrideRole): PolicySpec =>
    ({ [role]: { [field]: value } }) as PolicySpec;
const lb =
  (field: string) =>
  (value: unknown): PolicySpec =>
    ({ gateway: { loadBalancer: { [field]: value } } }) as PolicySpec;
const hc =
  (field: string) =>
  (value: unknown): PolicySpec =>
    ({ gateway: { hc: { [field]: value } } }) as PolicySpec;
const nothing = (): PolicySpec => ({});

/** All overrides, in the order of the documentation. */
export const overrides: readonly Override[] = [
  override(
    "role",
    BOTH,
    "",
    "What the pod is: gateway, sidecar, or none to leave it alone.",
    oneOf(() => ["gateway", "sidecar", "none"]),
    nothing,
  ),
  override(
    "inject",
    BOTH,
    "",
    "false leaves the pod alone; as a label, true opts a pod in where its namespace is not.",
    flag,
    nothing,
  ),
  override(
    "mode",
    BOTH,
    "mode",
    "Whether the pod is changed (Enforce), only looked at (Observe) or left alone (Disabled).",
    oneOf(() => ["Enforce", "Observe", "Disabled"] as const),
    (mode) => ({ mode }),
  ),
  override(
    "request-p99",
    BOTH,
    "requestP99",
    "99th percentile of the request duration; the drain timeout is 1.2 times as long.",
    duration,
    shared("requestP99"),
  ),
  override(
    "drain-timeout",
    BOTH,
    "drainTimeout",
    "Longest wait for in-flight requests.",
    duration,
    shared("drainTimeout"),
  ),
  override(
    "lb-profile",
    GATEWAY,
    "loadBalancer.profile",
    "Kind of load balancer in front of the gateway.",
    oneOf(() => LB_PROFILES),
    lb("profile"),
  ),
  override(
    "lb-check-interval",
    GATEWAY,
    "loadBalancer.checkInterval",
    "Time between two health checks of the load balancer.",
    positive(duration),
    lb("checkInterval"),
  ),
  override(
    "lb-check-fall",
    GATEWAY,
    "loadBalancer.checkFall",
    "Failed checks in a row that take a backend down.",
    whole(1, 100),
    lb("checkFall"),
  ),
  override(
    "lb-buffer",
    GATEWAY,
    "loadBalancer.buffer",
    "Time that the load balancer needs to notice the closing answer.",
    duration,
    lb("buffer"),
  ),
  override(
    "termination-drain-duration",
    BOTH,
    "terminationDrainDuration",
    "Istio's terminationDrainDuration.",
    duration,
    shared("terminationDrainDuration"),
  ),
  override(
    "minimum-drain-duration",
    BOTH,
    "minimumDrainDuration",
    "Istio's MINIMUM_DRAIN_DURATION.",
    duration,
    shared("minimumDrainDuration"),
  ),
  override(
    "exit-on-zero",
    BOTH,
    "exitOnZeroActiveConnections",
    "Istio's EXIT_ON_ZERO_ACTIVE_CONNECTIONS.",
    flag,
    shared("exitOnZeroActiveConnections"),
  ),
  override(
    "hold-application",
    BOTH,
    "holdApplicationUntilProxyStarts",
    "Istio's holdApplicationUntilProxyStarts.",
    flag,
    shared("holdApplicationUntilProxyStarts"),
  ),
  override(
    "proxy-stop",
    BOTH,
    "proxyStop",
    "The preStop hook of istio-proxy; Hold is for gateways only.",
    oneOf((role) =>
      role === "gateway" ? (["Hold", "Sleep", "Sigterm", "None"] as const) : (["Sigterm", "Sleep", "None"] as const),
    ),
    shared("proxyStop"),
  ),
  override(
    "retire-connections",
    GATEWAY,
    "retireConnections",
    "Whether connections are told to close while the gateway drains.",
    flag,
    shared("retireConnections"),
  ),
  override(
    "margin",
    BOTH,
    "margin",
    "Time between the end of the drain and the end of the grace period.",
    duration,
    shared("margin"),
  ),
  override(
    "grace-period",
    BOTH,
    "",
    "A wish for terminationGracePeriodSeconds; raised when the budget needs more.",
    duration,
    nothing,
  ),
  override(
    "application-pre-stop-sleep",
    SIDECAR,
    "applicationPreStopSleep",
    "A sleep hook for application containers that have no preStop.",
    duration,
    shared("applicationPreStopSleep"),
  ),
  override("hc", GATEWAY, "hc.enabled", "Whether hc is added.", flag, hc("enabled")),
  override("hc-image", GATEWAY, "hc.image", "Image of hc.", image, hc("image")),
  override("hc-port", GATEWAY, "hc.port", "Port of hc's health answers.", whole(1, 65_535), hc("port")),
];

function positive(kind: typeof duration): typeof duration {
  return {
    ...kind,
    read(value) {
      const read = kind.read(value);
      return "value" in read && read.value === 0
        ? { is: "a duration above 0", right: `1s up to ${MAX_DURATION}s` }
        : read;
    },
  };
}
