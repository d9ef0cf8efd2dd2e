/**
 * What a pod is to this program: a gateway, a sidecar, or nothing that it touches. The first rule that matches decides.
 *
 * The label gateway.networking.k8s.io/gateway-name proves nothing: other implementations of the Gateway API set it too,
 * and their pods may carry an ordinary sidecar.
 */
import { ISTIO_INJECT, MIRROR, OVERRIDE_PREFIX, TEMPLATES } from "./annotations.ts";
import { type JsonObject, objectAt, objectsAt, textAt, textsAt, valueAt } from "./json.ts";
import type { IstioProxy } from "./proxy.ts";

/** What is done to a pod. */
export type Role = "gateway" | "sidecar" | "none";

/** Why a pod has its role: recorded for logs, status and `explain`. */
export type RoleRule =
  | "mirror-pod"
  | "windows"
  | "inject-false"
  | "role-override"
  | "waypoint"
  | "proxyless-grpc"
  | "not-envoy"
  | "proxy-router"
  | "gateway-template"
  | "proxy-sidecar"
  | "injection-refused"
  | "host-network"
  | "not-rendered";

/** A role and the rule that gave it. */
export interface RoleDecision {
  readonly role: Role;
  readonly rule: RoleRule;
}

/**
 * Decides the role of a pod.
 *
 * @param proxy its istio-proxy, if it has one
 * @param gatewayTemplates names of the injection templates that make a gateway
 */
export function decideRole(
  pod: JsonObject,
  proxy: IstioProxy | undefined,
  gatewayTemplates: readonly string[],
): RoleDecision {
  const labels = objectAt(objectAt(pod, "metadata"), "labels");
  const annotations = objectAt(objectAt(pod, "metadata"), "annotations");
  const spec = objectAt(pod, "spec");
  const templates = (textAt(annotations, TEMPLATES) ?? "")
    .slice(0, LONGEST_TEMPLATES)
    .split(",")
    .map((name) => name.trim());
  const inject = `${OVERRIDE_PREFIX}inject`;

  if (valueAt(annotations, MIRROR) !== undefined) return none("mirror-pod");
  if (isWindows(spec)) return none("windows");
  if (textAt(labels, inject) === "false" || textAt(annotations, inject)?.trim() === "false")
    return none("inject-false");

  const wanted = textAt(annotations, `${OVERRIDE_PREFIX}role`)?.trim();
  if (wanted === "gateway" || wanted === "sidecar" || wanted === "none") return { role: wanted, rule: "role-override" };

  const mode = proxy?.mode;
  if (mode === "waypoint") return none("waypoint");
  if (mode === "ztunnel") return none("not-envoy");
  if (templates.some((name) => name.startsWith("grpc-")) || (proxy && isProxylessGrpc(proxy)))
    return none("proxyless-grpc");
  if (proxy === undefined && objectsAt(spec, "containers").some(isOtherDataPlane)) return none("not-envoy");

  if (mode === "router") return { role: "gateway", rule: "proxy-router" };
  const refusal = refusesInjection(labels, annotations, spec);
  const isGatewayTemplate = templates.some((name) => gatewayTemplates.includes(name));
  if (isGatewayTemplate && mode === undefined && (proxy !== undefined || refusal === undefined)) {
    return { role: "gateway", rule: "gateway-template" };
  }
  if (mode === "sidecar") return { role: "sidecar", rule: "proxy-sidecar" };
  if (refusal !== undefined) return none(refusal);
  return { role: "sidecar", rule: "not-rendered" };
}

/** Most of the list of templates that is read, characters: Istio's own installations use one or two names. */
const LONGEST_TEMPLATES = 4096;

function none(rule: RoleRule): RoleDecision {
  return { role: "none", rule };
}

function isWindows(spec: JsonObject): boolean {
  return (
    textAt(objectAt(spec, "os"), "name") === "windows" ||
    textAt(objectAt(spec, "nodeSelector"), "kubernetes.io/os") === "windows"
  );
}

function isProxylessGrpc(proxy: IstioProxy): boolean {
  return objectsAt(proxy.container, "env").some(
    (variable) => variable.name === "ISTIO_META_GENERATOR" && variable.value === "grpc",
  );
}

/** agentgateway and ztunnel carry mesh traffic, but are no Envoy. */
function isOtherDataPlane(container: JsonObject): boolean {
  return (
    container.name === "agentgateway" ||
    container.name === "ztunnel" ||
    textsAt(container, "args").slice(0, 2).join(" ") === "proxy ztunnel"
  );
}

/** Istio's own rules (its injector's injectRequired): the label beats the annotation; host-network pods never. */
function refusesInjection(
  labels: JsonObject,
  annotations: JsonObject,
  spec: JsonObject,
): "injection-refused" | "host-network" | undefined {
  if (spec.hostNetwork === true) return "host-network";
  const wish = textAt(labels, ISTIO_INJECT) ?? textAt(annotations, ISTIO_INJECT);
  return wish === "false" ? "injection-refused" : undefined;
}
