/**
 * What a timeline needs, read from a pod as it stands, or from what the pipeline decided about it.
 */
import { mayCut } from "../../balancers/on-down.ts";
import { profiles } from "../../balancers/profiles.ts";
import { drainOf, ENVOY_DRAIN, LEAST_DRAIN, type ProxyStop } from "../../budget/budget.ts";
import { loadBalancerOf } from "../../budget/load-balancer.ts";
import type { Context } from "../../mutate/context.ts";
import { PROXY_CONFIG, STATUS } from "../../pod/annotations.ts";
import { type Facts, factsOf, variableOf } from "../../pod/facts.ts";
import { type JsonObject, objectAt, textAt, withKey } from "../../pod/json.ts";
import type { PreStop } from "../../pod/pre-stop.ts";
import { parseProxyConfig } from "../../pod/proxy-config.ts";
import { proxyValues } from "../../pod/proxy-values.ts";
import type { MeshConfig } from "../../policy/mesh-config.ts";
import { parseMilliseconds } from "../../units/duration.ts";
import { type Milliseconds, seconds } from "../../units/milliseconds.ts";
import { type GatewayTermination, gatewayTimeline } from "../timeline/gateway.ts";
import { drainAfter, sidecarTimeline } from "../timeline/sidecar.ts";
import { type Hook, ISTIO_DRAIN, type Timeline } from "../timeline/timeline.ts";

/** The timeline of a pod as Gracegate makes it. */
export function plannedTimeline(context: Context, mesh: MeshConfig | undefined): Timeline {
  const { budget, proxyStop, facts, role } = context;
  const shared = {
    gracePeriod: budget.gracePeriod.value,
    hook: plannedHook(proxyStop, budget.hook.value),
    exitOnZero: budget.exitOnZero,
    minimumDrain: budget.minimumDrainDuration.value,
    terminationDrain: budget.terminationDrainDuration.value,
    drainDuration: context.users.drainDuration ?? budget.drainDuration?.value ?? mesh?.drainDuration ?? ENVOY_DRAIN,
    longest: longestOf(context),
  };
  if (role.kind === "gateway") {
    const [drainTimeout, lbBuffer] = [budget.drainTimeout.value, budget.lbBuffer.value];
    return gatewayTimeline({
      ...shared,
      ...balancerOf(context),
      hc: role.hc.kind === "none" ? undefined : { drainTimeout, lbBuffer },
    });
  }
  return sidecarTimeline({
    ...shared,
    native: facts.proxy?.native === true,
    appStops: facts.applications.map(({ name, preStop }) => ({
      container: name,
      length: preStop === undefined ? role.settings.applicationPreStopSleep.value : seconds(preStop.seconds ?? 0),
      isUnread: isUnread(preStop),
    })),
  });
}

/**
 * The timeline of a pod as it stands.
 *
 * @param context what the pipeline decided: what the balancer does
 * @param longest the longest request that shall survive; what the policy says unless given
 */
export function presentTimeline(
  pod: JsonObject,
  context: Context,
  mesh: MeshConfig | undefined,
  longest: Milliseconds = longestOf(context),
): Timeline {
  // Without the status every value counts as the pod's own.
  const metadata = objectAt(pod, "metadata");
  const annotations = withKey(objectAt(metadata, "annotations"), STATUS, undefined);
  const bare = withKey(pod, "metadata", withKey(metadata, "annotations", annotations));
  const facts = factsOf(bare, context.facts.namespace, []);
  const parsed = parseProxyConfig(textAt(annotations, PROXY_CONFIG));
  const values = proxyValues(facts, parsed.ok ? parsed.config : undefined);
  const hc = hcOf(facts);
  const shared = {
    gracePeriod: facts.gracePeriod,
    hook: hookOf(facts, hc),
    exitOnZero: values.metadata.EXIT_ON_ZERO_ACTIVE_CONNECTIONS ?? mesh?.exitOnZeroActiveConnections ?? false,
    minimumDrain: values.metadata.MINIMUM_DRAIN_DURATION ?? mesh?.minimumDrainDuration ?? LEAST_DRAIN,
    terminationDrain: values.terminationDrainDuration ?? mesh?.terminationDrainDuration ?? ISTIO_DRAIN,
    drainDuration: values.drainDuration ?? mesh?.drainDuration ?? ENVOY_DRAIN,
    longest,
  };
  if (context.role.kind === "gateway") return gatewayTimeline({ ...shared, ...balancerOf(context), hc });
  return sidecarTimeline({
    ...shared,
    native: facts.proxy?.native === true,
    appStops: facts.applications.map(({ name, preStop }) => ({
      container: name,
      length: seconds(preStop?.seconds ?? 0),
      isUnread: isUnread(preStop),
    })),
  });
}

/** The containers whose preStop has a length that cannot be read: the application's, and one of the user for the proxy. */
export function unreadStops({ facts, role, proxyStop }: Context): readonly string[] {
  const applications = role.kind === "sidecar" ? facts.applications : [];
  const proxy = proxyStop.kind === "own" && !facts.proxy?.native && isUnread(facts.proxy?.preStop);
  return [
    ...applications.filter(({ preStop }) => isUnread(preStop)).map(({ name }) => name),
    ...(proxy ? ["istio-proxy"] : []),
  ];
}

function isUnread(preStop: PreStop | undefined): boolean {
  return preStop !== undefined && preStop.seconds === undefined;
}

const hookNames = { Sleep: "sleep", Sigterm: "kill -SIGTERM 1", None: "none", own: "the pod's own" } as const;

function plannedHook({ kind }: ProxyStop, length: Milliseconds): Hook {
  return kind === "Hold" ? { kind: "held" } : { kind: "timed", length, name: hookNames[kind] };
}

/** What the budget is for, before a limit shortened it. */
function longestOf({ role, budget }: Context): Milliseconds {
  const { drain } = role.settings;
  return drain === undefined ? budget.drainTimeout.value : drainOf(drain).value;
}

/** What the pod's own terminationDrainDuration is there for; 0 where it has none. */
export function ownDrain({ users, budget }: Context): Milliseconds {
  return drainAfter(budget.appStop, users.terminationDrainDuration ?? seconds(0));
}

type Balancer = Pick<GatewayTermination, "checkInterval" | "checkFall" | "detection" | "killsSessions">;

function balancerOf({ role }: Context): Balancer {
  if (role.kind !== "gateway") throw new Error("only a gateway has a balancer");
  const { checkInterval, checkFall, detection, drainAnswer } = loadBalancerOf(role.settings.loadBalancer);
  return {
    checkInterval,
    checkFall,
    detection: drainAnswer && detection,
    killsSessions: mayCut(profiles[role.settings.loadBalancer.profile.value].onDown),
  };
}

function hcOf({ hc }: Facts): GatewayTermination["hc"] {
  if (hc === undefined || hc.inInitContainers) return undefined;
  const read = (name: string): Milliseconds => {
    const parsed = parseMilliseconds(variableOf(hc.container, name));
    return parsed.ok ? parsed.milliseconds : seconds(0);
  };
  return { drainTimeout: read("DRAIN_TIMEOUT"), lbBuffer: read("LB_BUFFER") };
}

/** What holds the proxy's SIGTERM back, read from its hook. */
function hookOf({ proxy }: Facts, hc: GatewayTermination["hc"]): Hook {
  const timed = (length: number, name: string): Hook => ({ kind: "timed", length: seconds(length), name });
  const preStop = proxy?.preStop;
  if (preStop === undefined || proxy?.native) return timed(0, "none");
  const isHeld = hc !== undefined && textAt(objectAt(preStop.hook, "httpGet"), "path") === "/drained";
  if (isHeld) return { kind: "held" };
  if (preStop.seconds !== undefined) return timed(preStop.seconds, `sleep ${preStop.seconds}s`);
  return timed(0, preStop.handler);
}
