/**
 * Everything that is decided about a pod before it is changed: whose value counts, what holds the proxy's SIGTERM back,
 * and the budget.
 */
import type { GraceBounds, ProxyStop } from "../budget/budget.ts";
import { gatewayBudget } from "../budget/gateway.ts";
import { loadBalancerOf } from "../budget/load-balancer.ts";
import { type AppStop, sidecarBudget } from "../budget/sidecar.ts";
import { type Notice, notice } from "../codes/registry.ts";
import { PROXY_CONFIG } from "../pod/annotations.ts";
import { type Facts, variableOf } from "../pod/facts.ts";
import { type JsonObject, textAt } from "../pod/json.ts";
import { MAX_CONFIG, parseProxyConfig, type Unusable } from "../pod/proxy-config.ts";
import { movedPorts } from "../pod/proxy-ports.ts";
import { proxyValues } from "../pod/proxy-values.ts";
import { isOurs } from "../pod/status.ts";
import { type Layer, level, type Sourced } from "../policy/layers.ts";
import { resolveGateway, resolveSidecar, type SidecarSettings } from "../policy/settings.ts";
import { parseDuration, type Seconds } from "../units/duration.ts";
import type { Context, Effective } from "./context.ts";
import { type HcPlan, planHc } from "./hc-plan.ts";

/** What a plan needs besides the pod. */
export interface PlanInput {
  readonly layers: readonly Layer[];
  /** gracegate.dev/grace-period. */
  readonly gracePeriodWish: Seconds | undefined;
  /** Image for hc where no policy names one. */
  readonly hcImage: string;
  /** The mesh's drainDuration, where the mesh config is known. */
  readonly meshDrainDuration: Seconds | undefined;
}

/** A plan, and what was noticed while making it. */
export interface Plan {
  readonly context: Context;
  readonly notices: readonly Notice[];
}

/** Where a value of the pod's own comes from. */
const POD = "the pod";

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
  const loadBalancer = { ...loadBalancerOf(settings.loadBalancer) };
  if (own.lbBuffer !== undefined && settings.loadBalancer.buffer?.level !== level.override) {
    Object.assign(loadBalancer, { lbBuffer: own.lbBuffer, lbBufferFrom: POD });
  }
  const exitOnZero = effective(settings.exitOnZero, users.exitOnZero) ?? fallback(true);
  const drain = settings.drain ?? { requestP99: { value: 0, level: level.builtIn, origin: "built-in" } };
  const drainLevel = "drainTimeout" in drain ? drain.drainTimeout.level : drain.requestP99.level;
  const budget = gatewayBudget({
    drain:
      own.drainTimeout !== undefined && drainLevel !== level.override
        ? { drainTimeout: { value: own.drainTimeout, level: level.builtIn, origin: POD } }
        : drain,
    loadBalancer,
    terminationDrainDuration: effective(settings.terminationDrainDuration, users.terminationDrainDuration)?.value,
    minimumDrainDuration: effective(settings.minimumDrainDuration, users.minimumDrainDuration)?.value,
    exitOnZero: exitOnZero.value,
    proxyStop,
    margin: settings.margin.value,
    grace: graceOf(facts, input, settings.maxGracePeriod.value),
    meshDrainDuration: input.meshDrainDuration,
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
      minimumDrain: minimumOf(settings.minimumDrainDuration, users.minimumDrainDuration, budget.minimumDrainDuration),
    },
    notices: [...notices, ...budget.notices, ...graceWish(input, budget, facts)],
  };
}

function sidecarPlan({ facts, users }: Base, input: PlanInput): Decided {
  const settings = resolveSidecar(input.layers);
  const { proxyStop, notices } = sidecarStop(facts, settings);
  const written = writtenDrain(settings, users.terminationDrainDuration);
  // Beside a terminationDrainDuration that somebody wrote without it, it would void that one.
  const exitOnZero =
    effective(settings.exitOnZero, users.exitOnZero) ?? (written === undefined ? fallback(true) : undefined);
  const budget = sidecarBudget({
    drain: settings.drain,
    appStops: appStopsOf(facts, settings),
    terminationDrainDuration: effective(settings.terminationDrainDuration, users.terminationDrainDuration)?.value,
    usersTerminationDrainDuration: written,
    minimumDrainDuration: effective(settings.minimumDrainDuration, users.minimumDrainDuration)?.value,
    exitOnZero: exitOnZero?.value ?? false,
    proxyStop,
    margin: settings.margin.value,
    grace: graceOf(facts, input, settings.maxGracePeriod.value),
    meshDrainDuration: input.meshDrainDuration,
  });
  return {
    context: {
      role: { kind: "sidecar", settings },
      budget,
      proxyStop,
      exitOnZero,
      minimumDrain:
        exitOnZero?.value === true
          ? minimumOf(settings.minimumDrainDuration, users.minimumDrainDuration, budget.minimumDrainDuration)
          : undefined,
    },
    notices: [...notices, ...budget.notices, ...graceWish(input, budget, facts)],
  };
}

/** A terminationDrainDuration that is somebody's wish for this pod: an override replaces the user's own. */
function writtenDrain({ terminationDrainDuration: setting }: SidecarSettings, users: Seconds | undefined) {
  if (setting?.level === level.override) return setting.value;
  return users ?? (setting?.level === level.meshConfig ? setting.value : undefined);
}

/** An override, else what the user wrote in the pod, else the setting of a farther level. */
function effective<T>(setting: Sourced<T> | undefined, users: T | undefined): Effective<T> | undefined {
  if (setting?.level === level.override) return { value: setting.value, overrides: true, origin: setting.origin };
  if (users !== undefined) return { value: users, overrides: false, origin: POD };
  return setting && { value: setting.value, overrides: false, origin: setting.origin };
}

function fallback<T>(value: T): Effective<T> {
  return { value, overrides: false, origin: "built-in" };
}

function minimumOf(
  setting: Sourced<Seconds> | undefined,
  users: Seconds | undefined,
  computed: Seconds,
): Effective<Seconds> {
  return effective(setting, users) ?? { value: computed, overrides: false, origin: "the budget" };
}

function graceOf(facts: Facts, { gracePeriodWish }: PlanInput, max: Seconds): GraceBounds {
  return { users: Math.max(facts.gracePeriod, gracePeriodWish ?? 0), max };
}

function graceWish(
  { gracePeriodWish: wish }: PlanInput,
  budget: Context["budget"],
  { gracePeriod }: Facts,
): readonly Notice[] {
  if (wish === undefined || wish >= budget.gracePeriod) return [];
  if (wish < budget.needs) return [notice("GG104", { wish, needs: budget.needs, final: budget.gracePeriod })];
  return wish < gracePeriod ? [notice("GG105", { wish, has: gracePeriod })] : [];
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
  return { kind: "own", seconds: there.seconds };
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
    seconds: preStop === undefined ? added : (preStop.seconds ?? 0),
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
function ownHcValues(container: JsonObject, facts: Facts): { drainTimeout?: Seconds; lbBuffer?: Seconds } {
  const seconds = (name: string): Seconds | undefined => {
    const value = variableOf(container, name);
    // What an earlier call added is not the user's; it is computed again.
    if (typeof value !== "string" || isOurs(facts.status, `hc/env/${name}`, value)) return undefined;
    const parsed = parseDuration(value);
    return parsed.ok ? parsed.seconds : undefined;
  };
  const drainTimeout = seconds("DRAIN_TIMEOUT");
  const lbBuffer = seconds("LB_BUFFER");
  return { ...(drainTimeout === undefined ? {} : { drainTimeout }), ...(lbBuffer === undefined ? {} : { lbBuffer }) };
}
