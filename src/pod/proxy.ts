/**
 * The pod's istio-proxy container: where it is, and what it runs.
 *
 * A proxy is rendered when its image is not `auto` and its args say what it runs. Before that it is a stub that Istio's
 * injector will fill in, and may turn into a native sidecar, so it must not be touched.
 */
import { PROXY_IMAGE_TYPE } from "./annotations.ts";
import { isObject, type JsonObject, objectAt, textAt, textsAt, valueAt } from "./json.ts";
import { type PreStop, preStopOf } from "./pre-stop.ts";

/** The lists of a pod's spec that hold containers. */
export type ContainerList = "containers" | "initContainers";

/** What `proxy …` a rendered istio-proxy runs. */
export type ProxyMode = "router" | "sidecar" | "waypoint" | "ztunnel";

/** The istio-proxy of a pod. */
export interface IstioProxy {
  readonly list: ContainerList;
  readonly index: number;
  readonly container: JsonObject;
  /** In `initContainers` with restartPolicy Always. */
  readonly native: boolean;
  /** What it runs; undefined while it is a stub, or when its args are none of Istio's. */
  readonly mode: ProxyMode | undefined;
  /** The image has no shell and no kill. */
  readonly distroless: boolean;
  readonly preStop: PreStop | undefined;
}

/** Finds istio-proxy. An init container of that name counts only as a native sidecar. */
export function proxyOf(pod: JsonObject): IstioProxy | undefined {
  const spec = objectAt(pod, "spec");
  for (const list of ["containers", "initContainers"] as const) {
    const containers = valueAt(spec, list);
    if (!Array.isArray(containers)) continue;
    const index = containers.findIndex((container) => textAt(container, "name") === "istio-proxy");
    const container = containers[index];
    if (!isObject(container)) continue;
    const native = list === "initContainers";
    if (native && container.restartPolicy !== "Always") continue;
    return {
      list,
      index,
      container,
      native,
      mode: modeOf(container),
      distroless: isDistroless(pod, container),
      preStop: preStopOf(container),
    };
  }
  return undefined;
}

const MODES: readonly string[] = ["router", "sidecar", "waypoint", "ztunnel"] satisfies ProxyMode[];

function modeOf(container: JsonObject): ProxyMode | undefined {
  const [program, mode] = textsAt(container, "args");
  if (container.image === "auto" || program !== "proxy" || mode === undefined) return undefined;
  return MODES.includes(mode) ? (mode as ProxyMode) : undefined;
}

function isDistroless(pod: JsonObject, container: JsonObject): boolean {
  const annotations = objectAt(objectAt(pod, "metadata"), "annotations");
  if (container.image === "auto" || textAt(container, "image") === undefined) {
    return textAt(annotations, PROXY_IMAGE_TYPE) === "distroless";
  }
  return (textAt(container, "image") ?? "").includes("distroless");
}
