/**
 * Everything that is decided about a pod before it is changed: whose value counts, what holds the proxy's SIGTERM back,
 * and the budget.
 */
import { type Duration, type Said, setBy } from "../budget/because.ts";
import type { Budget, ProxyStop } from "../budget/budget.ts";
import { gatewayBudget } from "../budget/gateway.ts";
import type { GraceBounds } from "../budget/limit.ts";
import { loadBalancerOf } from "../budget/load-balancer.ts";
import { type AppStop, sidecarBudget } from "../budget/sidecar.ts";
import { type Notice, notice } from "../codes/registry.ts";
import { OVERRIDE_PREFIX, PROXY_CONFIG } from "../pod/annotations.ts";
import { type Facts, variableOf } from "../pod/facts.ts";
import { type JsonObject, textAt } from "../pod/json.ts";
import { MAX_CONFIG, parseProxyConfig, type Unusable } from "../pod/proxy-config.ts";
import { movedPorts } from "../pod/proxy-ports.ts";
import { proxyValues } from "../pod/proxy-values.ts";
import { proxyVariables } from "../pod/proxy-variables.ts";
import { isOurs } from "../pod/status.ts";
import { type Layer, level, type Sourced } from "../policy/layers.ts";
import { type GatewaySettings, resolveGateway, resolveSidecar, type SidecarSettings } from "../policy/settings.ts";
import { parseMilliseconds } from "../units/duration.ts";
import { inSeconds, type Milliseconds, seconds, wholeSeconds } from "../units/milliseconds.ts";
import type { Context, Effective, Wanted } from "./context.ts";
import { type HcPlan, planHc } from "./hc-plan.ts";

/** What a plan needs besides the pod. */
export interface PlanInput {
  readonly layers: readonly Layer[];
  /** gracegate.dev/grace-period. */
  readonly gracePeriodWish: Milliseconds | undefined;
  /** Image for hc where no policy names one. */
  readonly hcImage: string;
  /** The mesh's drainDuration, where the mesh config is known. */
  readonly meshDrainDuration: Milliseconds | undefined;
}

/** A plan, and what was noticed while making it. */
export interface Plan {
  readonly context: Context;
  readonly notices: readonly Notice[];
}

/** Where a value of the pod's own comes from. */
const POD = "the pod";

/** Where a value comes from that nobody set. */
const BUILT_IN = "built-in";

/** Decides about a pod whose role is gateway or sidecar. */
export function planFor(pod: JsonObject, facts: Facts, input: PlanInput): Plan {
  const parsed = parseProxyConfig(textAt(facts.annotations, PROXY_CONFIG));
  const config = parsed.ok ? parsed.config : undefined;
  const users = proxyValues(facts, config);
  const notices: Notice[] = [...(parsed.ok ? [] : [unusable(parsed)]), ...users.notices, ...unreadableStops(facts)];
  const base = { facts, config, users };
  const decided = facts.role === "gateway" ? gatewayPlan(pod, base, input) : sidecarPlan(base, input);
  return { context: { ...base, ...decided.context }, notices: [...notices, ...decided.notices] };
}

function unusable(parsed: Unusable): Notice {
  if ("bytes" in parsed) return notice("GG210", { bytes: parsed.bytes, most: MAX_CONFIG });
  return notice("GG201", { reason: parsed.reason });
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
  const exitOnZero = effective(EXIT_ON_ZERO, settings.exitOnZero, users.metadata.EXIT_ON_ZERO_ACTIVE_CONNECTIONS, true);
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
        drainAnswer: loadBalancer.drainAnswer,
        detection: loadBalancer.detection,
      },
      budget,
      proxyStop,
      exitOnZero,
      minimumDrain: minimumOf(settings.minimumDrainDuration, budget),
    },
    notices: [...notices, ...budget.notices, ...graceWish(input, budget, facts)],
  };
}

function sidecarPlan({ facts, users }: Base, input: PlanInput): Decided {
  const settings = resolveSidecar(input.layers);
  const { proxyStop, notices } = sidecarStop(facts, settings);
  const written = writtenDrain(settings, users.terminationDrainDuration);
  // Beside a terminationDrainDuration that somebody wrote without it, it would void that one.
  const otherwise = written === undefined ? true : undefined;
  const own = users.metadata.EXIT_ON_ZERO_ACTIVE_CONNECTIONS;
  const exitOnZero = effective(EXIT_ON_ZERO, settings.exitOnZero, own, otherwise);
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
    notices: [...notices, ...budget.notices, ...graceWish(input, budget, facts)],
  };
}

/** A terminationDrainDuration that is somebody's wish for this pod: an override replaces the user's own. */
function writtenDrain(
  { terminationDrainDuration: setting }: SidecarSettings,
  users: Milliseconds | undefined,
): Duration | undefined {
  const isOverride = setting?.level === level.override;
  if (users !== undefined && !isOverride) return { value: users, because: { tag: "own drain" } };
  const counts = isOverride || setting?.level === level.meshConfig;
  return counts ? setBy("terminationDrainDuration", setting) : undefined;
}

/** The setting that decides about EXIT_ON_ZERO_ACTIVE_CONNECTIONS. */
const EXIT_ON_ZERO = proxyVariables.EXIT_ON_ZERO_ACTIVE_CONNECTIONS.setting;

/** An override, else what the user wrote in the pod, else the setting of a farther level, else what holds without any. */
function effective<T extends Said["value"], Otherwise extends T | undefined>(
  name: string,
  setting: Sourced<T> | undefined,
  users: T | undefined,
  otherwise: Otherwise,
): Effective<T> | (Otherwise extends undefined ? undefined : never) {
  const overrides = setting?.level === level.override;
  const said =
    users !== undefined && !overrides
      ? { value: users, origin: POD }
      : (setting ?? (otherwise === undefined ? undefined : { value: otherwise as T, origin: BUILT_IN }));
  if (said === undefined) return undefined as Otherwise extends undefined ? undefined : never;
  return { ...setBy(name, said), overrides, setting: { setting: name, value: said.value, origin: said.origin } };
}

/** A span that somebody set: the user's as it stands in the pod, a setting's in the whole seconds that are written. */
function setSpan(name: string, setting: Sourced<Milliseconds> | undefined, users: Milliseconds | undefined) {
  const set: Duration | undefined = effective(name, setting, users, undefined);
  return users !== undefined && setting?.level !== level.override
    ? set
    : set && { ...set, value: wholeSeconds(set.value) };
}

/** What both roles' budgets are computed from in one way. */
function sharedInput(
  settings: GatewaySettings | SidecarSettings,
  { facts, users }: Pick<Base, "facts" | "users">,
  input: PlanInput,
) {
  const { terminationDrainDuration, minimumDrainDuration, margin, maxGracePeriod } = settings;
  return {
    terminationDrainDuration: setSpan(
      "terminationDrainDuration",
      terminationDrainDuration,
      users.terminationDrainDuration,
    ),
    minimumDrainDuration: setSpan(
      proxyVariables.MINIMUM_DRAIN_DURATION.setting,
      minimumDrainDuration,
      users.metadata.MINIMUM_DRAIN_DURATION,
    ),
    margin,
    grace: graceOf(facts, input, maxGracePeriod),
    meshDrainDuration: input.meshDrainDuration,
  };
}

function minimumOf(setting: Sourced<Milliseconds> | undefined, { minimumDrainDuration }: Budget): Wanted<Milliseconds> {
  return { ...minimumDrainDuration, overrides: setting?.level === level.override };
}

function graceOf(facts: Facts, { gracePeriodWish }: PlanInput, max: Sourced<Milliseconds>): GraceBounds {
  const isWish = gracePeriodWish !== undefined && gracePeriodWish > facts.gracePeriod;
  const users = isWish
    ? { value: wholeSeconds(gracePeriodWish), origin: `annotation ${OVERRIDE_PREFIX}grace-period` }
    : { value: facts.gracePeriod, origin: POD };
  return { users, max };
}

function graceWish(
  { gracePeriodWish: wish }: PlanInput,
  { needs, gracePeriod: { value: final } }: Budget,
  { gracePeriod: has }: Facts,
): readonly Notice[] {
  if (wish === undefined || wish >= final) return [];
  if (wish < needs) {
    return [notice("GG104", { wish: inSeconds(wish), needs: inSeconds(needs), final: inSeconds(final) })];
  }
  return wish < has ? [notice("GG105", { wish: inSeconds(wish), has: inSeconds(has) })] : [];
}

/** What holds a gateway's SIGTERM back, and why it is not what the setting says. */
function gatewayStop(
  facts: Facts,
  wanted: "Hold" | "Sleep" | "Sigterm" | "None",
  hc: HcPlan,
): { proxyStop: ProxyStop; notices: readonly Notice[] } {
  if (facts.proxy?.native && facts.isRendered) return { proxyStop: { kind: "None" }, notices: [] };
  const own = ownStop(facts);
  if (own !== undefined) return { proxyStop: own, notices: [] };
  if (wanted === "Hold") return { proxyStop: { kind: hc.kind === "ours" ? "Hold" : "Sleep" }, notices: [] };
  return withoutKill(facts, wanted);
}

function sidecarStop(facts: Facts, settings: SidecarSettings): { proxyStop: ProxyStop; notices: readonly Notice[] } {
  if (facts.proxy?.native && facts.isRendered) return { proxyStop: { kind: "None" }, notices: [] };
  const own = ownStop(facts);
  if (own !== undefined) return { proxyStop: own, notices: [] };
  // Istio moves such a hook to the agent's port 15020, which closes at SIGTERM: the proxy has to wait for it.
  const hasHttpHook = facts.applications.some(
    ({ preStop }) => preStop?.handler === "httpGet" || preStop?.handler === "tcpSocket",
  );
  return withoutKill(facts, settings.proxyStop?.value ?? (hasHttpHook ? "Sleep" : "Sigterm"));
}

function ownStop({ proxy, status }: Facts): ProxyStop | undefined {
  const there = proxy?.preStop;
  if (there === undefined || isOurs(status, "istio-proxy/preStop", there.hook)) return undefined;
  return { kind: "own", length: there.seconds === undefined ? undefined : seconds(there.seconds) };
}

function withoutKill(
  facts: Facts,
  wanted: "Sleep" | "Sigterm" | "None",
): { proxyStop: ProxyStop; notices: readonly Notice[] } {
  if (wanted !== "Sigterm") return { proxyStop: { kind: wanted }, notices: [] };
  const reason = facts.proxy?.distroless
    ? "its image is distroless and has no kill"
    : facts.shareProcessNamespace
      ? "with shareProcessNamespace PID 1 is the pod's pause process"
      : undefined;
  if (reason === undefined) return { proxyStop: { kind: "Sigterm" }, notices: [] };
  return { proxyStop: { kind: "None" }, notices: [notice("GG404", { reason })] };
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
