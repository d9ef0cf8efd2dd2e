/**
 * Routes that somebody made for streams, and the gateways that serve them.
 *
 * Istio ends no stream by itself: its routes have no timeout and its gateways no idle timeout (measured). A route is
 * taken for one of streams only where a manifest says so: an upgrade to WebSocket, a backend whose protocol is
 * WebSocket, or a timeout that is switched off on purpose.
 */
import type { Path } from "../manifests/workload.ts";
import { isObject, type JsonObject, objectAt, objectsAt, textAt, textsAt, valueAt } from "../pod/json.ts";
import { matches } from "../policy/selector.ts";
import { gatewaysOf, type Inventory, type Item, itemsOf, type Workload } from "./inventory.ts";

/** A route of streams. */
export interface StreamRoute {
  readonly item: Item;
  /** Where the object says so. */
  readonly at: Path;
  /** What it says: `the route's timeout is 0s`. */
  readonly sign: string;
  readonly gateways: readonly Workload[];
}

/** The routes of streams that lead through a gateway that is seen here. */
export function streamRoutesOf(inventory: Inventory): readonly StreamRoute[] {
  return [
    ...itemsOf(inventory, "VirtualService").flatMap((item) =>
      served(item, virtualServiceSigns(inventory, item), inventory),
    ),
    ...itemsOf(inventory, "HTTPRoute").flatMap((item) => served(item, httpRouteSigns(inventory, item), inventory)),
  ];
}

type Sign = Pick<StreamRoute, "at" | "sign">;

function served(item: Item, signs: readonly Sign[], inventory: Inventory): readonly StreamRoute[] {
  if (signs.length === 0) return [];
  const gateways = item.kind === "HTTPRoute" ? parentsOf(item, inventory) : gatewaysOfVirtualService(item, inventory);
  return gateways.length === 0 ? [] : signs.map((sign) => ({ item, ...sign, gateways }));
}

function virtualServiceSigns(inventory: Inventory, item: Item): readonly Sign[] {
  return objectsAt(objectAt(item.object, "spec"), "http").flatMap((route, index): Sign[] => {
    const at = ["spec", "http", index];
    const match = objectsAt(route, "match").findIndex((one) => upgrades(objectAt(one, "headers")));
    if (match !== -1) return [{ at: [...at, "match", match], sign: "the route is for WebSockets" }];
    if (isOff(route.timeout))
      return [{ at: [...at, "timeout"], sign: `the route's timeout is ${String(route.timeout)}` }];
    const hosts = objectsAt(route, "route").map((one) => objectAt(one, "destination"));
    const isWs = hosts.some((destination) => {
      const [name = "", namespace = item.namespace] = (textAt(destination, "host") ?? "").split(".");
      return isWebSocket(inventory, namespace, name, objectAt(destination, "port").number);
    });
    return isWs ? [{ at, sign: WEBSOCKET_BACKEND }] : [];
  });
}

const WEBSOCKET_BACKEND = "the route's backend speaks WebSocket (appProtocol)";

function httpRouteSigns(inventory: Inventory, item: Item): readonly Sign[] {
  return objectsAt(objectAt(item.object, "spec"), "rules").flatMap((rule, index): Sign[] => {
    const at = ["spec", "rules", index];
    const timeout = objectAt(rule, "timeouts").request;
    if (isOff(timeout)) {
      return [{ at: [...at, "timeouts", "request"], sign: `the rule's request timeout is ${String(timeout)}` }];
    }
    const isWs = objectsAt(rule, "backendRefs").some(({ name, namespace, port }) =>
      isWebSocket(inventory, typeof namespace === "string" ? namespace : item.namespace, String(name), port),
    );
    return isWs ? [{ at, sign: WEBSOCKET_BACKEND }] : [];
  });
}

/** A timeout that somebody switched off. */
function isOff(timeout: unknown): boolean {
  return typeof timeout === "string" && /^0+(?:ms|s|m|h)?$/.test(timeout);
}

function upgrades(headers: JsonObject): boolean {
  return Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === "upgrade" && /websocket/i.test(JSON.stringify(value)),
  );
}

/** Whether the port of a Service is said to speak WebSocket, by Kubernetes' own names for that. */
function isWebSocket(inventory: Inventory, namespace: string, name: string, port: unknown): boolean {
  return itemsOf(inventory, "Service")
    .filter((service) => service.namespace === namespace && service.name === name)
    .flatMap(({ object }) => objectsAt(objectAt(object, "spec"), "ports"))
    .some((one) => (port === undefined || one.port === port) && /^kubernetes\.io\/wss?$/.test(String(one.appProtocol)));
}

/** Gateway pods that a VirtualService's Gateways select. */
function gatewaysOfVirtualService(item: Item, inventory: Inventory): readonly Workload[] {
  const names = textsAt(objectAt(item.object, "spec"), "gateways").map((name) =>
    name.includes("/") ? name : `${item.namespace}/${name}`,
  );
  const selectors = itemsOf(inventory, "Gateway")
    .filter(({ object, namespace, name }) => isIstio(object) && names.includes(`${namespace}/${name}`))
    .map(({ object }) => valueAt(objectAt(object, "spec"), "selector"));
  return gatewaysOf(inventory).filter(({ labels }) =>
    selectors.some((selector) => isObject(selector) && matches({ matchLabels: selector } as Selector, labels)),
  );
}

type Selector = Parameters<typeof matches>[0];

function isIstio(object: JsonObject): boolean {
  return textAt(object, "apiVersion")?.startsWith("networking.istio.io/") === true;
}

/** Gateway pods that Istio makes for the Gateways that an HTTPRoute names. */
function parentsOf(item: Item, inventory: Inventory): readonly Workload[] {
  const parents = objectsAt(objectAt(item.object, "spec"), "parentRefs").filter(
    ({ kind }) => kind === undefined || kind === "Gateway",
  );
  return gatewaysOf(inventory).filter((gateway) =>
    parents.some(
      ({ name, namespace = item.namespace }) =>
        namespace === gateway.namespace && name === textAt(gateway.labels, "gateway.networking.k8s.io/gateway-name"),
    ),
  );
}
