/**
 * Everything that is decided about a pod before it is changed: whose value counts, what holds the proxy's SIGTERM back,
 * and the budget.
 */
import { setBy } from "../budget/because.ts";
import type { Budget } from "../budget/budget.ts";
import { gatewayBudget } from "../budget/gateway.ts";
import type { GraceBounds } from "../budget/limit.ts";
import { loadBalancerOf } from "../budget/load-balancer.ts";
import { type AppStop, sidecarBudget } from "../budget/sidecar.ts";
import { type Notice, notice } from "../codes/registry.ts";
import { OVERRIDE_PREFIX, PROXY_CONFIG } from "../pod/annotations.ts";
import { type Facts, variableOf } from "../pod/facts.ts";
import { type JsonObject, textAt } from "../pod/json.ts";
import { MAX_CONFIG, type ParsedProxyConfig, parseProxyConfig } from "../pod/proxy-config.ts";
import { movedPorts } from "../pod/proxy-ports.ts";
import { proxyValues } from "../pod/proxy-values.ts";
import { proxyVariables } from "../pod/proxy-variables.ts";
import { isOurs } from "../pod/status.ts";
import { type Layer, level, type Sourced } from "../policy/layers.ts";
import { type GatewaySettings, resolveGateway, resolveSidecar, type SidecarSettings } from "../policy/settings.ts";
import { parseMilliseconds } from "../units/duration.ts";
import { inSeconds, type Milliseconds, seconds, wholeSeconds } from "../units/milliseconds.ts";
import type { Context, Wanted } from "./context.ts";
import { BUILT_IN, effective, otherwise, POD, setDuration, writtenDrain } from "./effective.ts";
import { planHc } from "./hc-plan.ts";
import { hookTokenOf } from "./hook-token.ts";
import { gatewayStop, ownStop, sidecarStop } from "./proxy-stop.ts";

/** What a plan needs besides the pod. */
export interface PlanInput {
  readonly layers: readonly Layer[];
  /** gracegate.dev/grace-period. */
  readonly gracePeriodWish: Milliseconds | undefined;
  /** Image for hc where no policy names one. */
  readonly hcImage: string;
  /** The uid of the admission request, where there is one. */
  readonly uid: string | undefined;
  /** The mesh's drainDuration, where the mesh config is known. */
  readonly meshDrainDuration: Milliseconds | undefined;
}

/** A plan, and what was noticed while making it. */
export interface Plan {
  readonly context: Context;
  readonly notices: readonly Notice[];
}

/** Decides about a pod whose role is gateway or sidecar. */
export function planFor(pod: JsonObject, facts: Facts, input: PlanInput): Plan {
  const parsed = parseProxyConfig(textAt(facts.annotations, PROXY_CONFIG));
  const config = parsed.ok ? parsed.config : undefined;
  const users = proxyValues(facts, config);
  const notices: Notice[] = [...configNotices(parsed), ...users.notices, ...unreadableStops(facts)];
  const base = { facts, config, users };
  const decided = facts.role === "gateway" ? gatewayPlan(pod, base, input) : sidecarPlan(base, input);
  return { context: { ...base, ...decided.context }, notices: [...notices, ...decided.notices] };
}

function configNotices(parsed: ParsedProxyConfig): readonly Notice[] {
  if (parsed.ok) return parsed.config.refused === undefined ? [] : [notice("GG211", parsed.config.refused)];
  if ("bytes" in parsed) return [notice("GG210", { bytes: parsed.bytes, most: MAX_CONFIG })];
  return [notice("GG201", { reason: parsed.reason })];
}

type Base = Pick<Context, "facts" | "config" | "users">;
type Decided = { readonly context: Omit<Context, keyof Base>; readonly notices: readonly Notice[] };

function gatewayPlan(pod: JsonObject, { facts, users, config }: Base, input: PlanInput): Decided {
  const settings = resolveGateway(input.layers);
  const { admin, agent } = movedPorts(facts.annotations, config);
  const moved = [admin, agent].filter((port) => port !== undefined);
  const hc = planHc(pod, facts, settings.hc, settings.hcImage?.value ?? input.hcImage, moved);
  const own = hc.kind === "users" ? ownHcValues(hc.container, facts) : {};
  const { proxyStop, notices } = gatewayStop(facts, settings.proxyStop.value, hc);
  const balancer = loadBalancerOf(settings.loadBalancer);
  const isOwnBuffer = own.lbBuffer !== undefined && settings.loadBalancer.buffer?.level !== level.override;
  const loadBalancer = isOwnBuffer
    ? { ...balancer, lbBuffer: setBy("buffer", { value: own.lbBuffer, origin: POD }) }
    : balancer;
  const exitOnZero = exitOnZeroOf(settings, users) ?? otherwise(EXIT_ON_ZERO, true);
  const drain = settings.drain ?? { requestP99: { value: seconds(0), level: level.builtIn, origin: BUILT_IN } };
  const drainLevel = "drainTimeout" in drain ? drain.drainTimeout.level : drain.requestP99.level;
  const budget = gatewayBudget({
    drain:
      own.drainTimeout !== undefined && drainLevel !== level.override
        ? { drainTimeout: { value: own.drainTimeout, level: level.builtIn, origin: POD } }
        : drain,
    loadBalancer,
    exitOnZero: exitOnZero.value,
    proxyStop,
    ...sharedInput(settings, { facts, users }, input),
  });
  return {
    context: {
      role: {
        kind: "gateway",
        settings,
        hc,
        hookToken: proxyStop.kind === "Hold" ? hookTokenOf(facts, input.uid) : undefined,
        drainAnswer: loadBalancer.drainAnswer,
        detection: loadBalancer.detection,
      },
      budget,
      proxyStop,
      exitOnZero,
      minimumDrain: minimumOf(settings.minimumDrainDuration, budget),
    },
    notices: [...notices, ...budget.notices, ...graceWish(input, budget, facts, settings)],
  };
}

function sidecarPlan({ facts, users }: Base, input: PlanInput): Decided {
  const settings = resolveSidecar(input.layers);
  const { proxyStop, notices } = sidecarStop(facts, settings);
  const written = writtenDrain(settings, users.terminationDrainDuration);
  // Beside a terminationDrainDuration that somebody wrote without it, it would void that one.
  const exitOnZero =
    exitOnZeroOf(settings, users) ?? (written === undefined ? otherwise(EXIT_ON_ZERO, true) : undefined);
  const budget = sidecarBudget({
    drain: settings.drain,
    appStops: appStopsOf(facts, settings),
    writtenDrain: written,
    exitOnZero: exitOnZero?.value ?? false,
    proxyStop,
    ...sharedInput(settings, { facts, users }, input),
  });
  return {
    context: {
      role: { kind: "sidecar", settings },
      budget,
      proxyStop,
      exitOnZero,
      minimumDrain: exitOnZero?.value ? minimumOf(settings.minimumDrainDuration, budget) : undefined,
    },
    notices: [...notices, ...budget.notices, ...graceWish(input, budget, facts, settings)],
  };
}

/** The setting that decides about EXIT_ON_ZERO_ACTIVE_CONNECTIONS. */
const EXIT_ON_ZERO = proxyVariables.EXIT_ON_ZERO_ACTIVE_CONNECTIONS.setting;

function exitOnZeroOf(settings: GatewaySettings | SidecarSettings, { metadata }: Base["users"]) {
  return effective(EXIT_ON_ZERO, settings.exitOnZero, metadata.EXIT_ON_ZERO_ACTIVE_CONNECTIONS);
}

/** What both roles' budgets are computed from in one way. */
function sharedInput(
  settings: GatewaySettings | SidecarSettings,
  { facts, users }: Pick<Base, "facts" | "users">,
  input: PlanInput,
) {
  const { terminationDrainDuration, minimumDrainDuration, margin } = settings;
  return {
    terminationDrainDuration: setDuration(
      "terminationDrainDuration",
      terminationDrainDuration,
      users.terminationDrainDuration,
    ),
    minimumDrainDuration: setDuration(
      proxyVariables.MINIMUM_DRAIN_DURATION.setting,
      minimumDrainDuration,
      users.metadata.MINIMUM_DRAIN_DURATION,
    ),
    margin,
    grace: graceOf(facts, input, settings),
    meshDrainDuration: input.meshDrainDuration,
  };
}

function minimumOf(setting: Sourced<Milliseconds> | undefined, { minimumDrainDuration }: Budget): Wanted<Milliseconds> {
  return { ...minimumDrainDuration, overrides: setting?.level === level.override };
}

type GraceSettings = Pick<SidecarSettings, "maxGracePeriod" | "graceCeiling">;

/** A wish counts as the pod's own, as far as the cluster's owner allows it. */
function graceOf(facts: Facts, { gracePeriodWish }: PlanInput, settings: GraceSettings): GraceBounds {
  const { graceCeiling: ceiling, maxGracePeriod: max } = settings;
  const wish = ceiling !== undefined && ceiling.value < (gracePeriodWish ?? 0) ? ceiling.value : gracePeriodWish;
  const isWish = wish !== undefined && wish > facts.gracePeriod;
  const users = isWish
    ? { value: wholeSeconds(wish), origin: `annotation ${OVERRIDE_PREFIX}grace-period` }
    : { value: facts.gracePeriod, origin: POD };
  return { users, max };
}

function graceWish(
  { gracePeriodWish: wish }: PlanInput,
  { needs, gracePeriod: { value: final } }: Budget,
  { gracePeriod: has }: Facts,
  { graceCeiling: ceiling }: GraceSettings,
): readonly Notice[] {
  if (wish === undefined) return [];
  if (ceiling !== undefined && wish > ceiling.value && wish > final) {
    const { origin } = ceiling;
    return [
      notice("GG109", { wish: inSeconds(wish), most: inSeconds(ceiling.value), origin, final: inSeconds(final) }),
    ];
  }
  if (wish >= final) return [];
  if (wish < needs) {
    return [notice("GG104", { wish: inSeconds(wish), needs: inSeconds(needs), final: inSeconds(final) })];
  }
  return wish < has ? [notice("GG105", { wish: inSeconds(wish), has: inSeconds(has) })] : [];
}

function appStopsOf(facts: Facts, settings: SidecarSettings): readonly AppStop[] {
  const added = settings.applicationPreStopSleep.value;
  return facts.applications.map(({ name, preStop }) => ({
    container: name,
    length: preStop === undefined ? added : seconds(preStop.seconds ?? 0),
  }));
}

function unreadableStops(facts: Facts): readonly Notice[] {
  const hooks = [
    ...facts.applications.filter(() => facts.role === "sidecar"),
    ...(ownStop(facts) !== undefined && !facts.proxy?.native
      ? [{ name: "istio-proxy", preStop: facts.proxy?.preStop }]
      : []),
  ];
  return hooks
    .filter(({ preStop }) => preStop?.handler === "exec" && preStop.seconds === undefined)
    .map(({ name }) => notice("GG305", { container: name }));
}

/** What a user's own hc is told by its environment. */
function ownHcValues(
  container: JsonObject,
  facts: Facts,
): { readonly drainTimeout?: Milliseconds | undefined; readonly lbBuffer?: Milliseconds | undefined } {
  const read = (name: string): Milliseconds | undefined => {
    const value = variableOf(container, name);
    // What an earlier call added is not the user's; it is computed again.
    if (typeof value !== "string" || isOurs(facts.status, `hc/env/${name}`, value)) return undefined;
    const parsed = parseMilliseconds(value);
    return parsed.ok ? parsed.milliseconds : undefined;
  };
  return { drainTimeout: read("DRAIN_TIMEOUT"), lbBuffer: read("LB_BUFFER") };
}
