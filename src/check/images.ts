/**
 * The images of istio-proxy and hc in workloads, and where they come from.
 */
import type { Path } from "../manifests/workload.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../pod/json.ts";
import type { Workload } from "./inventory.ts";

/** One of them. */
export interface PlacedImage {
  readonly item: Workload;
  /** Where the container is in the workload. */
  readonly at: Path;
  readonly container: JsonObject & { readonly name: string };
  readonly image: string;
}

/** The images of workloads that Gracegate looks after; a stub has none yet. */
export function* imagesOf(workloads: readonly Workload[]): Iterable<PlacedImage> {
  for (const item of workloads) {
    if (item.role === "none") continue;
    for (const list of ["containers", "initContainers"]) {
      for (const [index, container] of objectsAt(objectAt(item.pod, "spec"), list).entries()) {
        const { name } = container;
        const image = textAt(container, "image") ?? "auto";
        if ((name !== "istio-proxy" && name !== "hc") || image === "auto") continue;
        yield { item, at: [...item.podAt, "spec", list, index], container: { ...container, name }, image };
      }
    }
  }
}

/** The registry of an image; undefined where it names none, which means Docker Hub. */
export function registryOf(image: string): string | undefined {
  const [first = "", ...rest] = image.split("/");
  return rest.length > 0 && (/[.:]/.test(first) || first === "localhost") ? first : undefined;
}
