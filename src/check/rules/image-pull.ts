import { objectAt, objectsAt, textAt } from "../../pod/json.ts";
import type { Finding, Rule } from "../rule.ts";
import { gateway, RENDERED } from "./example-manifests.ts";

/** An image that may be another one tomorrow, or must be fetched at every start. */
export const imagePull: Rule = {
  id: "image-pull",
  severity: "warning",
  title: "The image of istio-proxy or hc is fetched at every start, or is another one tomorrow.",
  reason:
    "A rollout starts many pods at once. With imagePullPolicy Always, or a tag such as latest, each needs the registry; its rate limit or an outage then stops the rollout half way.",
  fix: "give the image a version, and imagePullPolicy: IfNotPresent",
  examples: {
    bad: [
      gateway({ ...RENDERED, image: "registry.example/istio/proxyv2:latest" }),
      gateway({ ...RENDERED, container: [...(RENDERED.container ?? []), "imagePullPolicy: Always"] }),
    ],
    good: [gateway(RENDERED)],
  },
  *check({ workloads }): Iterable<Finding> {
    for (const item of workloads) {
      if (item.role === "none") continue;
      for (const list of ["containers", "initContainers"]) {
        for (const [index, container] of objectsAt(objectAt(item.pod, "spec"), list).entries()) {
          const image = textAt(container, "image") ?? "auto";
          if ((container.name !== "istio-proxy" && container.name !== "hc") || image === "auto") continue;
          const isAlways = container.imagePullPolicy === "Always";
          const isLoose = !image.includes("@") && /(?::latest|^[^:]+|\/[^:]+)$/.test(image);
          if (!isAlways && !isLoose) continue;
          yield {
            item,
            at: [...item.podAt, "spec", list, index],
            message: `${container.name}: ${isLoose ? `the image ${image} has no fixed version` : "imagePullPolicy is Always"}.`,
          };
        }
      }
    }
  },
};
