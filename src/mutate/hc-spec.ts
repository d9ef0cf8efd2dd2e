/**
 * The container spec of hc.
 *
 * It can live in a namespace with restricted Pod Security and a quota: requests and limits, no privilege, no root. The
 * user id is left to the image (numeric, not root) and to OpenShift, which assigns one. All fields that the API server
 * would default are written out, so that a second call finds what the first one wrote.
 */
import type { Budget } from "../budget/budget.ts";
import { STATUS_PORT } from "../pod/annotations.ts";
import { type JsonObject, type JsonValue, objectAt, objectsAt, textAt, valueAt } from "../pod/json.ts";
import { requestsOf } from "../pod/pod-rules.ts";
import type { ConfigValue } from "../pod/proxy-config-document.ts";
import type { GatewaySettings } from "../policy/settings.ts";
import { formatCpu, formatMemory, parseQuantity } from "../units/quantity.ts";
import type { Context, GatewayRole } from "./context.ts";

/** Variables that this program gives to hc. */
export const KNOWN_VARIABLES: readonly string[] = [
  "DRAIN_TIMEOUT",
  "LB_BUFFER",
  "POLL_INTERVAL",
  "GRACE_PERIOD",
  "LB_PROFILE",
  "LB_ANSWERS",
  "LB_DETECTION",
  "HEALTH_PATHS",
  "HEALTH_PORT",
  "CONTROL_PORT",
  "METRICS_PORT",
  "ENVOY_ADMIN_PORT",
  "AGENT_STATUS_PORT",
  "RETIRE_CONNECTIONS",
  "MINIMUM_DRAIN_DURATION",
  "LOG_LEVEL",
];

/** Fits every state of Pod Security's restricted profile. */
const RESTRICTED: JsonObject = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

/** Builds hc's container for a pod. */
export function hcContainerOf(pod: JsonObject, context: Context, role: GatewayRole, image: string): JsonObject {
  const { hc } = role.settings;
  return {
    name: "hc",
    image,
    ...(hc.imagePullPolicy === undefined ? {} : { imagePullPolicy: hc.imagePullPolicy }),
    args: ["hc"],
    // On the host network a declared port becomes a host port, which may collide with another pod's.
    ...(context.facts.hostNetwork
      ? {}
      : {
          ports: [
            { name: "hc", containerPort: hc.port, protocol: "TCP" },
            { name: "hc-metrics", containerPort: hc.metricsPort, protocol: "TCP" },
          ],
        }),
    env: environmentOf(context, role),
    resources: resourcesOf(pod, role.settings),
    // Period × threshold must stay under the minimum drain: kube-proxy has to leave before Envoy does.
    readinessProbe: probe("/health", hc.port, { periodSeconds: 1, failureThreshold: 2, timeoutSeconds: 1 }),
    // Lax: a restart while OPEN costs requests.
    livenessProbe: probe("/live", hc.port, { periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 }),
    securityContext: hc.securityContext ?? RESTRICTED,
  };
}

function probe(path: string, port: number, numbers: Record<string, number>): JsonObject {
  return { httpGet: { path, port, scheme: "HTTP" }, ...numbers, successThreshold: 1 };
}

function environmentOf(context: Context, role: GatewayRole): readonly JsonObject[] {
  const { budget } = context;
  const { settings } = role;
  const values: Readonly<Record<string, string | undefined>> = {
    ...budgetVariables(budget),
    LB_PROFILE: settings.loadBalancer.profile.value,
    LB_DETECTION: String(role.detection),
    LB_ANSWERS:
      Object.keys(settings.loadBalancer.answers).length === 0
        ? undefined
        : JSON.stringify(settings.loadBalancer.answers),
    POLL_INTERVAL: String(settings.hc.pollInterval ?? 1),
    HEALTH_PATHS: (settings.hc.healthPaths ?? []).join(","),
    HEALTH_PORT: String(settings.hc.port),
    CONTROL_PORT: String(settings.hc.controlPort),
    METRICS_PORT: String(settings.hc.metricsPort),
    ENVOY_ADMIN_PORT: portIn(context.config?.get(["proxyAdminPort"])),
    AGENT_STATUS_PORT:
      portIn(textAt(context.facts.annotations, STATUS_PORT)) ?? portIn(context.config?.get(["statusPort"])),
    RETIRE_CONNECTIONS: String(settings.retireConnections.value),
    LOG_LEVEL: settings.hc.logLevel ?? "info",
  };
  const own = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const extra = (settings.hc.extraEnv ?? []).map((variable) => ({ ...variable }) as JsonObject);
  const replaced = new Set(extra.map((variable) => variable.name));
  return [...own.filter((variable) => !replaced.has(variable.name)), ...extra];
}

function budgetVariables(budget: Budget): Record<string, string> {
  return {
    DRAIN_TIMEOUT: String(budget.drainTimeout),
    LB_BUFFER: String(budget.lbBuffer),
    GRACE_PERIOD: String(budget.gracePeriod),
    MINIMUM_DRAIN_DURATION: String(budget.minimumDrainDuration),
  };
}

/** A port that an annotation moves; undefined where it is none, and hc's own default holds. */
function portIn(value: ConfigValue | undefined): string | undefined {
  return typeof value === "string" && /^[1-9][0-9]{0,4}$/.test(value) ? value : undefined;
}

/** Requests and limits of hc, within what the pod's own (spec.resources) leave. */
function resourcesOf(pod: JsonObject, settings: GatewaySettings): JsonObject {
  const { requests = {}, limits = {} } = settings.hc.resources ?? {};
  const spec = objectAt(pod, "spec");
  const ofPod = objectAt(spec, "resources");
  const others = objectsAt(spec, "containers").filter((container) => container.name !== "hc");
  const resources: Record<"requests" | "limits", Record<string, string>> = { requests: {}, limits: {} };
  for (const name of new Set([...Object.keys(requests), ...Object.keys(limits)])) {
    const request = requests[name] ?? limits[name] ?? "0";
    const limit = limits[name] ?? request;
    const podLimit = parseQuantity(valueAt(objectAt(ofPod, "limits"), name));
    const podRequest = parseQuantity(valueAt(objectAt(ofPod, "requests"), name));
    const left = podRequest === undefined ? undefined : Math.max(0, podRequest - requestsOf(others, name));
    const lower = atMost(name, limit, podLimit);
    resources.limits[name] = lower;
    resources.requests[name] = atMost(name, atMost(name, request, left), parseQuantity(lower));
  }
  return resources as Record<string, JsonValue>;
}

/** A quantity, or the bound where that is smaller. */
function atMost(resource: string, quantity: string, bound: number | undefined): string {
  if (bound === undefined || (parseQuantity(quantity) ?? 0) <= bound) return quantity;
  return resource === "cpu" ? formatCpu(bound) : formatMemory(bound);
}
