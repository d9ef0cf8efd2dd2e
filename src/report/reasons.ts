/**
 * Why each changed line of a pod is there: which setting, and where that comes from.
 */
import { drainTimeoutOfP99 } from "../budget/drain-timeout.ts";
import type { Context } from "../mutate/context.ts";
import { EXIT_ON_ZERO, MINIMUM_DRAIN } from "../pod/proxy-values.ts";
import { level, type Sourced } from "../policy/layers.ts";

/**
 * Reasons by place. A place in the pod is a path such as `/spec/containers/hc/env/DRAIN_TIMEOUT`, in which named elements
 * of lists stand by their name; a key of the annotation is `config/KEY`.
 */
export type Reasons = ReadonlyMap<string, string>;

/** The reasons for all that the mutations may have written. */
export function reasonsFor(context: Context): Reasons {
  const { budget, role } = context;
  const proxy = `/spec/${context.facts.proxy?.list ?? "containers"}/istio-proxy`;
  const exitOnZero = `the proxy leaves with its last connection (${context.exitOnZero?.origin ?? "built-in"})`;
  const minimum = minimumReason(context);
  const hold = role.settings.hold;
  const reasons: [string, string][] = [
    ["config/terminationDrainDuration", drainDurationReason(context)],
    [
      "config/holdApplicationUntilProxyStarts",
      `the application starts after the proxy: holdApplicationUntilProxyStarts ${hold.value} (${hold.origin})`,
    ],
    [`config/${EXIT_ON_ZERO}`, exitOnZero],
    [`config/${MINIMUM_DRAIN}`, minimum],
    ["config/drainDuration", "Envoy must accept connections for longer than its 45s after SIGTERM"],
    ["config/proxyStatsMatcher", "hc counts in-flight requests with these; Istio hides them by default"],
    [`${proxy}/env/${EXIT_ON_ZERO}`, exitOnZero],
    [`${proxy}/env/${MINIMUM_DRAIN}`, minimum],
    [`${proxy}/lifecycle`, stopReason(context)],
    [
      "/spec/terminationGracePeriodSeconds",
      budget.needs === budget.gracePeriod ? budget.arithmetic : `the budget: ${budget.arithmetic}`,
    ],
    ["/metadata/annotations/gracegate.dev~1status", "what was written here, for the second call and for you"],
  ];
  return new Map([...reasons, ...gatewayReasons(context), ...applicationReasons(context)]);
}

function from(setting: Sourced<unknown>): string {
  return setting.origin;
}

/** How the drain timeout came about. */
function drainReason({ role, users, facts, budget }: Context): string {
  const { drain } = role.settings;
  if (drain !== undefined && "drainTimeout" in drain) {
    return `drainTimeout ${drain.drainTimeout.value}s (${from(drain.drainTimeout)})`;
  }
  if (drain !== undefined) {
    const p99 = `requestP99 ${drain.requestP99.value}s × 1.2 (${from(drain.requestP99)})`;
    const isLonger = budget.drainTimeout > drainTimeoutOfP99(drain.requestP99.value);
    return role.kind === "gateway" && isLonger
      ? `${p99}, at least the ${role.detection}s in which the balancer sees the drain answer`
      : p99;
  }
  if (users.terminationDrainDuration !== undefined) return "the pod's own terminationDrainDuration";
  if (!budget.exitOnZero) return "the least that a proxy drains for";
  return `the grace period of ${facts.gracePeriod}s less margin ${budget.margin}s (${from(role.settings.margin)}), 5s to 40s`;
}

function drainDurationReason(context: Context): string {
  const { budget, role } = context;
  const explicit = role.settings.terminationDrainDuration;
  if (explicit !== undefined && explicit.value === budget.terminationDrainDuration) {
    return `terminationDrainDuration ${explicit.value}s (${from(explicit)})`;
  }
  const hook = budget.hook > 0 && role.kind === "sidecar" ? ` - preStop ${budget.hook}s` : "";
  const stop = budget.appStop > 0 ? `application preStop ${budget.appStop}s + ` : "";
  return `${stop}drain timeout ${budget.drainTimeout}s${hook}: ${drainReason(context)}`;
}

function minimumReason({ minimumDrain, budget, proxyStop }: Context): string {
  if (minimumDrain !== undefined && minimumDrain.origin !== "the budget") {
    return `minimumDrainDuration ${minimumDrain.value}s (${minimumDrain.origin})`;
  }
  if (proxyStop.kind === "Hold") return "the proxy's own least drain, once hc lets it go (the budget)";
  if (budget.appStop > 0) return `the proxy outlives the application's preStop of ${budget.appStop}s (the budget)`;
  return "the proxy's own least drain (the budget)";
}

function stopReason({ proxyStop, budget, role }: Context): string {
  const setting = role.settings.proxyStop;
  const origin = setting === undefined ? "built-in" : from(setting);
  switch (proxyStop.kind) {
    case "Hold":
      return `SIGTERM waits until hc is CLOSED: proxyStop Hold (${origin})`;
    case "Sleep":
      return `SIGTERM waits ${budget.hook}s: proxyStop Sleep (${origin})`;
    case "Sigterm":
      return `the proxy's drain starts with the application's stop: proxyStop Sigterm (${origin})`;
    default:
      return `proxyStop ${proxyStop.kind} (${origin})`;
  }
}

function gatewayReasons(context: Context): readonly [string, string][] {
  const { role, budget } = context;
  if (role.kind !== "gateway") return [];
  const { loadBalancer, hcEnabled, hcImage, hc } = role.settings;
  const { profile, buffer, checkInterval, checkFall } = loadBalancer;
  const checks = checkInterval ?? checkFall ?? profile;
  const path = "/spec/containers/hc";
  const env = (name: string, reason: string): [string, string] => [`${path}/env/${name}`, reason];
  return [
    [path, `steers the load balancer: hc.enabled (${from(hcEnabled)})`],
    [`${path}/image`, hcImage === undefined ? "the webhook's --hc-image" : `hc.image (${from(hcImage)})`],
    [`${path}/resources`, "within quota: hc.resources"],
    [`${path}/securityContext`, "fits the restricted Pod Security profile"],
    [`${path}/readinessProbe`, "the pod is Ready while the gateway serves, drain included"],
    [`${path}/livenessProbe`, "lax: a restart costs requests"],
    env("DRAIN_TIMEOUT", drainReason(context)),
    env(
      "LB_BUFFER",
      buffer === undefined
        ? `checks: interval × fall + 5s (${from(checks)})`
        : `buffer ${buffer.value}s (${from(buffer)})`,
    ),
    env("GRACE_PERIOD", "the pod's grace period"),
    env("MINIMUM_DRAIN_DURATION", minimumReason(context)),
    env("LB_PROFILE", `loadBalancer.profile ${profile.value} (${from(profile)})`),
    env("LB_DETECTION", `time in which the balancer sees the drain answer: ${role.detection}s`),
    env("HEALTH_PATHS", "hc.healthPaths: what the balancer asks for"),
    env("RETIRE_CONNECTIONS", `retireConnections (${from(role.settings.retireConnections)})`),
    env("POLL_INTERVAL", `hc.pollInterval ${hc.pollInterval ?? 1}s`),
    ["/spec/imagePullSecrets", "hc.imagePullSecrets"],
    ["budget", `${budget.drainTimeout}s + ${budget.lbBuffer}s`],
  ];
}

function applicationReasons({ role, facts }: Context): readonly [string, string][] {
  if (role.kind !== "sidecar" || role.settings.applicationPreStopSleep.level === level.builtIn) return [];
  const setting = role.settings.applicationPreStopSleep;
  return facts.applications.map(({ name }) => [
    `/spec/containers/${name}/lifecycle`,
    `endpoints need a moment to leave: applicationPreStopSleep ${setting.value}s (${from(setting)})`,
  ]);
}
