/**
 * The settings of one pod: every field resolved from the layers, each with its origin.
 */
import type { LbProfileName } from "../balancers/profiles.ts";
import type { Milliseconds } from "../units/milliseconds.ts";
import { type Layer, level, pick, pickEither, pickSet, type Sourced } from "./layers.ts";
import type { GatewaySpec, HcSpec, LbAnswers, PolicySpec, SidecarSpec, StatsMatcher } from "./schema.ts";

/** How long in-flight requests are waited for: said outright, or by the requests' 99th percentile. */
export type DrainSetting =
  | { readonly drainTimeout: Sourced<Milliseconds> }
  | { readonly requestP99: Sourced<Milliseconds> };

/** Settings that both roles have. */
interface SharedSettings {
  /** Undefined where no level says anything (sidecars). */
  readonly drain: DrainSetting | undefined;
  readonly terminationDrainDuration: Sourced<Milliseconds> | undefined;
  readonly minimumDrainDuration: Sourced<Milliseconds> | undefined;
  readonly exitOnZero: Sourced<boolean> | undefined;
  readonly hold: Sourced<boolean>;
  readonly margin: Sourced<Milliseconds>;
  readonly maxGracePeriod: Sourced<Milliseconds>;
  /** What the cluster's owner allows at most: maxGracePeriod of a root policy, which no nearer level raises. */
  readonly graceCeiling: Sourced<Milliseconds> | undefined;
}

/** How the load balancer checks a gateway. */
export interface LbSettings {
  readonly profile: Sourced<LbProfileName>;
  /** Undefined: the profile's. */
  readonly checkInterval: Sourced<Milliseconds> | undefined;
  /** Undefined: the profile's. */
  readonly checkFall: Sourced<number> | undefined;
  readonly checkRise: Sourced<number>;
  readonly checkTimeout: Sourced<Milliseconds>;
  /** Undefined: computed from interval and fall. */
  readonly buffer: Sourced<Milliseconds> | undefined;
  readonly answers: LbAnswers;
}

/** hc's settings. */
export type HcSettings = Required<Pick<HcSpec, "enabled" | "port" | "controlPort" | "metricsPort">> & HcSpec;

/** Settings of a gateway. */
export interface GatewaySettings extends SharedSettings {
  readonly loadBalancer: LbSettings;
  readonly proxyStop: Sourced<NonNullable<GatewaySpec["proxyStop"]>>;
  readonly retireConnections: Sourced<boolean>;
  /** The mesh's entries and the policy's, united. */
  readonly statsMatcher: StatsMatcher;
  readonly hc: HcSettings;
  /** Where hc.enabled comes from. */
  readonly hcEnabled: Sourced<boolean>;
  /** The image for hc; undefined: the one that the webhook was started with. */
  readonly hcImage: Sourced<string> | undefined;
}

/** Settings of a sidecar. */
export interface SidecarSettings extends SharedSettings {
  /** Undefined where no level says anything: the pod decides. */
  readonly proxyStop: Sourced<NonNullable<SidecarSpec["proxyStop"]>> | undefined;
  readonly applicationPreStopSleep: Sourced<Milliseconds>;
}

/** Resolves mode: whether anything is changed at all. */
export function resolveMode(layers: readonly Layer[]): Sourced<NonNullable<PolicySpec["mode"]>> {
  return pickSet(layers, (spec) => spec.mode);
}

/** Resolves what an override that does not parse does. */
export function resolveInvalid(layers: readonly Layer[]): Sourced<NonNullable<PolicySpec["invalid"]>> {
  return pickSet(layers, (spec) => spec.invalid);
}

/** Resolves the settings of a gateway. */
export function resolveGateway(layers: readonly Layer[]): GatewaySettings {
  const lb = <T>(field: (lb: NonNullable<GatewaySpec["loadBalancer"]>) => T | undefined) =>
    pick(layers, ({ gateway }) => gateway?.loadBalancer && field(gateway.loadBalancer));
  const profile = pickSet(layers, ({ gateway }) => gateway?.loadBalancer?.profile);
  const buffer = pickEither(
    layers,
    ({ gateway }) => gateway?.loadBalancer?.buffer,
    ({ gateway }) => gateway?.loadBalancer?.checkInterval ?? gateway?.loadBalancer?.checkFall,
  );
  return {
    ...resolveShared(layers, (spec) => spec.gateway),
    loadBalancer: {
      profile,
      checkInterval: lb((fields) => fields.checkInterval),
      checkFall: lb((fields) => fields.checkFall),
      checkRise: pickSet(layers, ({ gateway }) => gateway?.loadBalancer?.checkRise),
      checkTimeout: pickSet(layers, ({ gateway }) => gateway?.loadBalancer?.checkTimeout),
      buffer: buffer && "explicit" in buffer ? buffer.explicit : undefined,
      answers: answersFrom(layers.filter((layer) => layer.level >= profile.level)),
    },
    proxyStop: pickSet(layers, ({ gateway }) => gateway?.proxyStop),
    retireConnections: pickSet(layers, ({ gateway }) => gateway?.retireConnections),
    statsMatcher: statsFrom(layers),
    hc: hcFrom(layers),
    hcEnabled: pickSet(layers, ({ gateway }) => gateway?.hc?.enabled),
    hcImage: pick(layers, ({ gateway }) => gateway?.hc?.image),
  };
}

/** Resolves the settings of a sidecar. */
export function resolveSidecar(layers: readonly Layer[]): SidecarSettings {
  return {
    ...resolveShared(layers, (spec) => spec.sidecar),
    proxyStop: pick(layers, ({ sidecar }) => sidecar?.proxyStop),
    applicationPreStopSleep: pickSet(layers, ({ sidecar }) => sidecar?.applicationPreStopSleep),
  };
}

function resolveShared(
  layers: readonly Layer[],
  role: (spec: PolicySpec) => GatewaySpec | SidecarSpec | undefined,
): SharedSettings {
  const drain = pickEither(
    layers,
    (spec) => role(spec)?.drainTimeout,
    (spec) => role(spec)?.requestP99,
  );
  const maximum = pickSet(layers, (spec) => role(spec)?.maxGracePeriod);
  const ofOwner = layers.filter((layer) => layer.level === level.root || layer.level === level.rootSelector);
  const graceCeiling = pick(ofOwner, (spec) => role(spec)?.maxGracePeriod);
  return {
    drain: drain && ("explicit" in drain ? { drainTimeout: drain.explicit } : { requestP99: drain.other }),
    terminationDrainDuration: pick(layers, (spec) => role(spec)?.terminationDrainDuration),
    minimumDrainDuration: pick(layers, (spec) => role(spec)?.minimumDrainDuration),
    exitOnZero: pick(layers, (spec) => role(spec)?.exitOnZeroActiveConnections),
    hold: pickSet(layers, (spec) => role(spec)?.holdApplicationUntilProxyStarts),
    margin: pickSet(layers, (spec) => role(spec)?.margin),
    maxGracePeriod: graceCeiling !== undefined && graceCeiling.value < maximum.value ? graceCeiling : maximum,
    graceCeiling,
  };
}

function answersFrom(layers: readonly Layer[]): LbAnswers {
  const answers: Record<string, object> = {};
  for (const { spec } of layers) {
    for (const [state, answer] of Object.entries(spec.gateway?.loadBalancer?.answers ?? {})) {
      answers[state] = { ...answers[state], ...answer };
    }
  }
  return answers;
}

function statsFrom(layers: readonly Layer[]): StatsMatcher {
  const mesh = layers.filter((layer) => layer.level === level.meshConfig);
  const nearer = layers.filter((layer) => layer.level > level.meshConfig);
  const union = (list: keyof StatsMatcher) => [
    ...new Set(
      [mesh, nearer].flatMap((some) => pick(some, (spec) => spec.gateway?.proxyStatsMatcher?.[list])?.value ?? []),
    ),
  ];
  return {
    inclusionPrefixes: union("inclusionPrefixes"),
    inclusionSuffixes: union("inclusionSuffixes"),
    inclusionRegexps: union("inclusionRegexps"),
  };
}

function hcFrom(layers: readonly Layer[]): HcSettings {
  const merged: HcSpec = Object.assign({}, ...layers.map(({ spec }) => spec.gateway?.hc));
  const { enabled = true, port = 0, controlPort = 0, metricsPort = 0 } = merged;
  return { ...merged, enabled, port, controlPort, metricsPort };
}
