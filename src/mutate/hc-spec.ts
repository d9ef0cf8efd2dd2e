/**
 * The container spec of hc.
 *
 * It can live in a namespace with restricted Pod Security and a quota: requests and limits, no privilege, no root. The
 * user id is left to the image (numeric, not root) and to OpenShift, which assigns one. All fields that the API server
 * would default are written out, so that a second call finds what the first one wrote.
 */
import { type Budget, UNREADY_LOOKS } from "../budget/budget.ts";
import { type JsonObject, type JsonValue, objectAt, valueAt } from "../pod/json.ts";
import { requestsOf, runningTogether } from "../pod/pod-rules.ts";
import { movedPorts } from "../pod/proxy-ports.ts";
import type { GatewaySettings } from "../policy/settings.ts";
import { formatDuration, inSeconds, type Milliseconds, seconds } from "../units/milliseconds.ts";
import { formatCpu, formatMemory, parseQuantity } from "../units/quantity.ts";
import type { Context, GatewayRole } from "./context.ts";
import { bySetting, settingOf, type Why, type Whys } from "./why.ts";

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
  "HOOK_TOKEN",
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

/** Where the container is, in reasons. */
const PLACE = "/spec/containers/hc";

/** Builds hc's container for a pod, and says why its parts are as they are. */
export function hcContainerOf(
  pod: JsonObject,
  context: Context,
  role: GatewayRole,
  image: string,
): { readonly container: JsonObject; readonly whys: () => Whys } {
  const { hcEnabled, hcImage } = role.settings;
  const variables = variablesOf(context, role);
  const whys = (): Whys => [
    [PLACE, { tag: "steers", setting: settingOf("hc.enabled", { origin: hcEnabled.origin }) }],
    [
      `${PLACE}/image`,
      hcImage === undefined ? { tag: "webhook's image" } : bySetting("hc.image", { origin: hcImage.origin }),
    ],
    [`${PLACE}/resources`, { tag: "quota", setting: settingOf("hc.resources", {}) }],
    [`${PLACE}/securityContext`, { tag: "restricted" }],
    [`${PLACE}/readinessProbe`, { tag: "readiness" }],
    [`${PLACE}/livenessProbe`, { tag: "liveness" }],
    ...whysOf(variables),
    ["/spec/imagePullSecrets", bySetting("hc.imagePullSecrets")],
  ];
  return { container: containerOf(pod, context, role, image, variables), whys };
}

function containerOf(
  pod: JsonObject,
  context: Context,
  role: GatewayRole,
  image: string,
  variables: Variables,
): JsonObject {
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
    env: environmentOf(variables, role),
    resources: resourcesOf(pod, role.settings),
    // Period × threshold must stay under the minimum drain: kube-proxy has to leave before Envoy does.
    readinessProbe: probe("/health", hc.port, { periodSeconds: 1, failureThreshold: UNREADY_LOOKS, timeoutSeconds: 1 }),
    // Lax: a restart while OPEN costs requests.
    livenessProbe: probe("/live", hc.port, { periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 }),
    securityContext: (hc.securityContext as JsonObject | undefined) ?? RESTRICTED,
  };
}

function probe(path: string, port: number, numbers: Record<string, number>): JsonObject {
  return { httpGet: { path, port, scheme: "HTTP" }, ...numbers, successThreshold: 1 };
}

/** A variable's text, and why it is that where there is more to say than its name does. */
interface Variable {
  readonly text: string;
  readonly why?: Why;
}

type Variables = Readonly<Record<string, Variable | undefined>>;

/** Why the variables are as they are. */
export function whysOf(variables: Variables): Whys {
  return Object.entries(variables).flatMap(([name, variable]) =>
    variable?.why === undefined ? [] : [[`${PLACE}/env/${name}`, variable.why] as const],
  );
}

function variablesOf(context: Context, role: GatewayRole): Variables {
  const { settings } = role;
  const { hc, loadBalancer, retireConnections } = settings;
  const moved = movedPorts(context.facts.annotations, context.config);
  const pollInterval = hc.pollInterval ?? seconds(1);
  const port = (number: number | undefined) => (number === undefined ? undefined : { text: String(number) });
  return {
    ...budgetVariables(context.budget),
    LB_PROFILE: { text: loadBalancer.profile.value, why: bySetting("loadBalancer.profile", loadBalancer.profile) },
    LB_DETECTION: { text: textOf(role.detection), why: { tag: "detection time", time: role.detection } },
    LB_ANSWERS:
      Object.keys(loadBalancer.answers).length === 0 ? undefined : { text: JSON.stringify(loadBalancer.answers) },
    POLL_INTERVAL: { text: textOf(pollInterval), why: bySetting("hc.pollInterval", { value: pollInterval }) },
    HEALTH_PATHS: { text: (hc.healthPaths ?? []).join(","), why: { tag: "health paths" } },
    HEALTH_PORT: port(hc.port),
    CONTROL_PORT: port(hc.controlPort),
    METRICS_PORT: port(hc.metricsPort),
    HOOK_TOKEN: role.hookToken === undefined ? undefined : { text: role.hookToken },
    ENVOY_ADMIN_PORT: port(moved.admin),
    AGENT_STATUS_PORT: port(moved.agent),
    RETIRE_CONNECTIONS: {
      text: String(retireConnections.value),
      why: bySetting("retireConnections", { origin: retireConnections.origin }),
    },
    LOG_LEVEL: { text: hc.logLevel ?? "info" },
  };
}

function environmentOf(variables: Variables, { settings }: GatewayRole): readonly JsonObject[] {
  const own = Object.entries(variables).flatMap(([name, variable]) =>
    variable === undefined ? [] : [{ name, value: variable.text }],
  );
  const extra = (settings.hc.extraEnv ?? []).map((variable) => ({ ...variable }) as unknown as JsonObject);
  const replaced = new Set(extra.map((variable) => variable.name));
  return [...own.filter((variable) => !replaced.has(variable.name)), ...extra];
}

/** The variables that carry the budget. */
export function budgetVariables({ drainTimeout, lbBuffer, gracePeriod, minimumDrainDuration }: Budget) {
  return {
    DRAIN_TIMEOUT: { text: textOf(drainTimeout.value), why: drainTimeout.because },
    LB_BUFFER: { text: textOf(lbBuffer.value), why: lbBuffer.because },
    GRACE_PERIOD: { text: textOf(gracePeriod.value), why: { tag: "grace period" } },
    MINIMUM_DRAIN_DURATION: { text: textOf(minimumDrainDuration.value), why: minimumDrainDuration.because },
  } as const;
}

/** A span as hc reads it: a number of seconds, as the runbook has it, or a duration where it has a fraction. */
function textOf(span: Milliseconds): string {
  return span % 1000 === 0 ? String(inSeconds(span)) : formatDuration(span);
}

/** Quantities by resource: cpu, memory, ephemeral-storage. */
type QuantityByName = Readonly<Record<string, string | undefined>>;

/** Requests and limits of hc, within what the pod's own (spec.resources) leave. */
function resourcesOf(pod: JsonObject, settings: GatewaySettings): JsonObject {
  const requests: QuantityByName = settings.hc.resources?.requests ?? {};
  const limits: QuantityByName = settings.hc.resources?.limits ?? {};
  const spec = objectAt(pod, "spec");
  const ofPod = objectAt(spec, "resources");
  const others = runningTogether(spec).filter((container) => container.name !== "hc");
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
