/**
 * What a pod is, read once: the first step of the pipeline. Everything after it decides from these facts.
 */
import { type Milliseconds, seconds } from "../units/milliseconds.ts";
import { isObject, type JsonObject, objectAt, objectsAt, textAt, valueAt } from "./json.ts";
import { type PreStop, preStopOf } from "./pre-stop.ts";
import { type IstioProxy, proxyOf } from "./proxy.ts";
import { decideRole, type Role, type RoleRule } from "./role.ts";
import { type EarlierStatus, earlierStatus, isOurs } from "./status.ts";

/** A container that is neither istio-proxy nor a gateway's hc. */
export interface Application {
  readonly name: string;
  readonly index: number;
  /** The user's preStop; one that an earlier call added does not count. */
  readonly preStop: PreStop | undefined;
}

/** A container named hc. */
export interface HcContainer {
  readonly container: JsonObject;
  readonly index: number;
  readonly inInitContainers: boolean;
}

/** What a pod is. */
export interface Facts {
  readonly role: Role;
  readonly rule: RoleRule;
  readonly namespace: string;
  readonly labels: JsonObject;
  readonly annotations: JsonObject;
  readonly proxy: IstioProxy | undefined;
  /** The proxy is rendered as the role says, so that more than annotations may be written. */
  readonly isRendered: boolean;
  readonly applications: readonly Application[];
  readonly hc: HcContainer | undefined;
  /** The pod's grace period before Gracegate changed it. */
  readonly gracePeriod: Milliseconds;
  readonly hostNetwork: boolean;
  readonly shareProcessNamespace: boolean;
  /** Whether the kubelet restarts what ends: false for the pods of Jobs. */
  readonly restartsAlways: boolean;
  /** What an earlier call wrote. */
  readonly status: EarlierStatus;
}

/** The API server's default for terminationGracePeriodSeconds. */
export const DEFAULT_GRACE_PERIOD: Milliseconds = seconds(30);

/**
 * Reads the facts of a pod.
 *
 * @param namespace where the pod is created; a pod in a review may not say it itself
 * @param gatewayTemplates names of Istio's injection templates that make a gateway
 */
export function factsOf(pod: JsonObject, namespace: string, gatewayTemplates: readonly string[]): Facts {
  const metadata = objectAt(pod, "metadata");
  const spec = objectAt(pod, "spec");
  const proxy = proxyOf(pod);
  const status = earlierStatus(pod);
  const { role, rule } = decideRole(pod, proxy, gatewayTemplates);
  return {
    role,
    rule,
    namespace,
    labels: objectAt(metadata, "labels"),
    annotations: objectAt(metadata, "annotations"),
    proxy,
    isRendered: proxy?.mode !== undefined,
    applications: applicationsOf(spec, status, role),
    hc: hcOf(spec),
    gracePeriod: gracePeriodOf(spec, status),
    hostNetwork: spec.hostNetwork === true,
    shareProcessNamespace: spec.shareProcessNamespace === true,
    restartsAlways: (textAt(spec, "restartPolicy") ?? "Always") === "Always",
    status,
  };
}

function applicationsOf(spec: JsonObject, status: EarlierStatus, role: Role): readonly Application[] {
  const containers = valueAt(spec, "containers");
  if (!Array.isArray(containers)) return [];
  const seen = new Set<string>();
  return containers.flatMap((container, index) => {
    const name = textAt(container, "name");
    if (!isObject(container) || name === undefined || name === "istio-proxy") return [];
    // The name is taken beside a gateway's proxy only.
    if (name === "hc" && role === "gateway") return [];
    const preStop = preStopOf(container);
    // A forged status may be large: what it says of a name is compared once. The API server refuses a second one.
    if (status.present && seen.size === seen.add(name).size) return [{ name, index, preStop }];
    return [{ name, index, preStop: isOurs(status, `${name}/preStop`, preStop?.hook) ? undefined : preStop }];
  });
}

function hcOf(spec: JsonObject): HcContainer | undefined {
  for (const list of ["containers", "initContainers"] as const) {
    const containers = valueAt(spec, list);
    if (!Array.isArray(containers)) continue;
    const index = containers.findIndex((container) => textAt(container, "name") === "hc");
    const container = containers[index];
    if (isObject(container)) return { container, index, inInitContainers: list === "initContainers" };
  }
  return undefined;
}

function gracePeriodOf(spec: JsonObject, status: EarlierStatus): Milliseconds {
  const value = valueAt(spec, "terminationGracePeriodSeconds");
  if (isOurs(status, "gracePeriod", value)) return status.gracePeriod ?? DEFAULT_GRACE_PERIOD;
  // The API server takes a negative value and treats it as 1 s when the pod is deleted.
  if (typeof value !== "number" || !Number.isFinite(value * 1000)) return DEFAULT_GRACE_PERIOD;
  return seconds(value < 0 ? 1 : value);
}

/** The value of a container's environment variable: its text, or true where it comes from elsewhere (valueFrom). */
export function variableOf(container: JsonObject, name: string): string | true | undefined {
  const variable = objectsAt(container, "env").findLast((entry) => entry.name === name);
  if (variable === undefined) return undefined;
  return valueAt(variable, "valueFrom") === undefined ? (textAt(variable, "value") ?? "") : true;
}
