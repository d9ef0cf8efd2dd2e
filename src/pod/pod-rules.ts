/**
 * The rules of the API server that a change to a pod can break.
 *
 * A pod that breaks one is refused even under failurePolicy Ignore, so a result is held against them before it leaves.
 * Source: pkg/apis/core/validation of Kubernetes 1.36. Rules that no mutation of this program touches are left out.
 */
import { named } from "../codes/quoted.ts";
import { inSeconds } from "../units/milliseconds.ts";
import { parseQuantity } from "../units/quantity.ts";
import { DEFAULT_GRACE_PERIOD } from "./facts.ts";
import { isObject, type JsonObject, type JsonValue, objectAt, objectsAt, textAt, valueAt } from "./json.ts";

/** Most that all annotations of an object may weigh together, bytes. */
export const MAX_ANNOTATIONS = 256 * 1024;

/** Longest name of a port, characters. */
const LONGEST_PORT_NAME = 15;
const PORT_NAME = /^(?=.*[a-z])(?!.*--)[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?$/;
const HANDLERS = ["exec", "httpGet", "tcpSocket", "sleep"];
const LINUX_ONLY = [
  "capabilities",
  "seccompProfile",
  "allowPrivilegeEscalation",
  "readOnlyRootFilesystem",
  "runAsUser",
];

/**
 * What the API server would refuse.
 *
 * @returns one sentence a problem; empty for a pod that breaks none of these rules
 */
export function podProblems(pod: JsonObject): readonly string[] {
  const spec = objectAt(pod, "spec");
  const containers = objectsAt(spec, "containers");
  const initContainers = objectsAt(spec, "initContainers");
  const all = [...containers, ...initContainers];
  const grace = valueAt(spec, "terminationGracePeriodSeconds");
  return [
    ...repeated(all.map((container) => textAt(container, "name") ?? "")).map(
      (name) => `two containers are named ${named(name)}`,
    ),
    ...all.flatMap((container) =>
      containerProblems(container, typeof grace === "number" ? grace : inSeconds(DEFAULT_GRACE_PERIOD)),
    ),
    ...initContainers.flatMap(initProblems),
    ...resourceProblems(spec, runningTogether(spec)),
    ...windowsProblems(spec, all),
    ...annotationProblems(pod),
  ];
}

function nameOf(container: JsonObject): string {
  return named(textAt(container, "name") ?? "");
}

/** The names that are there more than once. */
function repeated(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return [...new Set(names.filter((name) => seen.size === seen.add(name).size))];
}

function containerProblems(container: JsonObject, grace: number): string[] {
  const problems: string[] = [];
  // Only a problem needs the name.
  const name = () => nameOf(container);
  const lifecycle = objectAt(container, "lifecycle");
  for (const event of ["preStop", "postStart"]) {
    const hook = valueAt(lifecycle, event);
    if (!isObject(hook)) continue;
    const handlers = HANDLERS.filter((handler) => valueAt(hook, handler) !== undefined);
    if (handlers.length !== 1)
      problems.push(`${name()} has ${handlers.join(" and ") || "no handler"} in its ${event} hook`);
    const seconds = valueAt(objectAt(hook, "sleep"), "seconds");
    if (typeof seconds === "number" && seconds > grace) {
      problems.push(`${name()} sleeps ${seconds}s in its ${event} hook, longer than the grace period of ${grace}s`);
    }
  }
  for (const port of objectsAt(container, "ports")) {
    const portName = textAt(port, "name");
    if (portName === undefined || (portName.length <= LONGEST_PORT_NAME && PORT_NAME.test(portName))) continue;
    problems.push(`${name()} has a port named ${named(portName)}`);
  }
  const resources = objectAt(container, "resources");
  for (const [resource, request] of Object.entries(objectAt(resources, "requests"))) {
    const limit = parseQuantity(valueAt(objectAt(resources, "limits"), resource));
    if (limit !== undefined && (parseQuantity(request) ?? 0) > limit) {
      problems.push(`${name()} requests more ${named(resource)} than its limit`);
    }
  }
  return problems;
}

function initProblems(container: JsonObject): string[] {
  if (container.restartPolicy === "Always") return [];
  const forbidden = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"].filter(
    (field) => valueAt(container, field) !== undefined,
  );
  return forbidden.map((field) => `the init container ${nameOf(container)} has a ${field}`);
}

/** One pass over the containers, whatever the number of resources that the pod names. */
function resourceProblems(spec: JsonObject, containers: readonly JsonObject[]): string[] {
  const ofPod = objectAt(spec, "resources");
  const limits = objectAt(ofPod, "limits");
  const requests = objectAt(ofPod, "requests");
  if (valueAt(ofPod, "limits") === undefined && valueAt(ofPod, "requests") === undefined) return [];
  const problems: string[] = [];
  const requested = new Map<string, number>();
  for (const container of containers) {
    const own = objectAt(container, "resources");
    const ownRequests = objectAt(own, "requests");
    const request = (resource: string, quantity: JsonValue) => {
      if (!Object.hasOwn(requests, resource)) return;
      requested.set(resource, (requested.get(resource) ?? 0) + (parseQuantity(quantity) ?? 0));
    };
    for (const [resource, limit] of Object.entries(objectAt(own, "limits"))) {
      const most = parseQuantity(valueAt(limits, resource));
      if (most !== undefined && (parseQuantity(limit) ?? 0) > most) {
        problems.push(`${nameOf(container)} has a higher ${named(resource)} limit than its pod`);
      }
      // A missing request is the limit.
      if (valueAt(ownRequests, resource) === undefined) request(resource, limit);
    }
    for (const [resource, quantity] of Object.entries(ownRequests)) request(resource, quantity);
  }
  for (const [resource, request] of Object.entries(requests)) {
    const most = parseQuantity(request) ?? Number.POSITIVE_INFINITY;
    if ((requested.get(resource) ?? 0) > most * (1 + 1e-9))
      problems.push(`containers request more ${named(resource)} than their pod`);
  }
  return problems;
}

/** The containers that run at the same time: native sidecars are init containers that stay. */
export function runningTogether(spec: JsonObject): readonly JsonObject[] {
  const natives = objectsAt(spec, "initContainers").filter((container) => container.restartPolicy === "Always");
  return [...objectsAt(spec, "containers"), ...natives];
}

/** What containers request of a resource together; a missing request is the limit. */
export function requestsOf(containers: readonly JsonObject[], resource: string): number {
  return containers.reduce((sum, container) => {
    const resources = objectAt(container, "resources");
    const own = valueAt(objectAt(resources, "requests"), resource) ?? valueAt(objectAt(resources, "limits"), resource);
    return sum + (parseQuantity(own) ?? 0);
  }, 0);
}

function windowsProblems(spec: JsonObject, containers: readonly JsonObject[]): string[] {
  if (textAt(objectAt(spec, "os"), "name") !== "windows") return [];
  return containers.flatMap((container) =>
    LINUX_ONLY.filter((field) => valueAt(objectAt(container, "securityContext"), field) !== undefined).map(
      (field) => `${nameOf(container)} sets ${field} on Windows`,
    ),
  );
}

function annotationProblems(pod: JsonObject): string[] {
  const bytes = Object.entries(objectAt(objectAt(pod, "metadata"), "annotations")).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + (typeof value === "string" ? Buffer.byteLength(value) : 0),
    0,
  );
  return bytes > MAX_ANNOTATIONS ? [`its annotations weigh more than ${MAX_ANNOTATIONS} bytes together`] : [];
}
