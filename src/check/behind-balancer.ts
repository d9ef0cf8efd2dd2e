/**
 * Whether a load balancer stands before a gateway, as far as the objects tell.
 *
 * An egress gateway, or one for the mesh alone, has nothing but a ClusterIP Service: nobody asks hc, and no way back to
 * UP has to be waited for. Where nothing is known about a gateway's Services, a balancer is assumed.
 */
import { profiles } from "../balancers/profiles.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../pod/json.ts";
import { level } from "../policy/layers.ts";
import { leadsToHc } from "./hc-port.ts";
import { type Inventory, type Item, itemsOf, servicesOf, type Workload } from "./inventory.ts";

/** Annotations with which a balancer reaches a Service of any type. */
const REACHING = Object.values(profiles).flatMap(({ annotations }) => annotations?.reaches ?? []);

/** Whether a gateway has a balancer, or may have one. */
export function isBehindBalancer(inventory: Inventory, gateway: Workload): boolean {
  const services = servicesOf(inventory, gateway);
  return (
    services.length === 0 ||
    isOnItsNode(gateway) ||
    hasOwnProfile(gateway) ||
    services.some((service) => isReachedFromOutside(service) || leadsToHc(service, gateway)) ||
    services.some((service) => isNamed(inventory, service))
  );
}

function isReachedFromOutside({ object }: Item): boolean {
  const { type, externalIPs } = objectAt(object, "spec");
  const annotations = objectAt(objectAt(object, "metadata"), "annotations");
  const isOutside = type === "NodePort" || type === "LoadBalancer" || externalIPs !== undefined;
  return isOutside || REACHING.some((name) => annotations[name] !== undefined);
}

/** On the host network, or with a port of the node: what is before it needs no Service. */
function isOnItsNode({ pod }: Workload): boolean {
  const spec = objectAt(pod, "spec");
  const ports = objectsAt(spec, "containers").flatMap((container) => objectsAt(container, "ports"));
  return spec.hostNetwork === true || ports.some(({ hostPort }) => hostPort !== undefined);
}

/** A policy for its namespace, or an annotation, says what its balancer is; one for the whole cluster says it of all. */
function hasOwnProfile({ context }: Workload): boolean {
  return context?.role.kind === "gateway" && context.role.settings.loadBalancer.profile.level > level.root;
}

/** Objects that lead a balancer to a Service of whatever type. */
function isNamed(inventory: Inventory, { name, namespace }: Item): boolean {
  return Object.entries(BACKENDS).some(([kind, backendsOf]) =>
    itemsOf(inventory, kind).some(
      (item) => item.namespace === namespace && backendsOf(objectAt(item.object, "spec")).includes(name),
    ),
  );
}

const BACKENDS: Readonly<Record<string, (spec: JsonObject) => readonly (string | undefined)[]>> = {
  Ingress: (spec) => {
    const paths = objectsAt(spec, "rules").flatMap((rule) => objectsAt(objectAt(rule, "http"), "paths"));
    const backends = [objectAt(spec, "defaultBackend"), ...paths.map((path) => objectAt(path, "backend"))];
    return backends.map((backend) => textAt(objectAt(backend, "service"), "name"));
  },
  HTTPRoute: (spec) =>
    objectsAt(spec, "rules").flatMap((rule) => objectsAt(rule, "backendRefs").map((one) => textAt(one, "name"))),
  TargetGroupBinding: (spec) => [textAt(objectAt(spec, "serviceRef"), "name")],
};
