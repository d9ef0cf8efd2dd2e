import { gateway, RENDERED } from "../example-manifests.ts";
import { imagesOf, registryOf } from "../images.ts";
import type { Finding, Rule } from "../rule.ts";

/** Registries that everybody pulls from, and that limit how much. */
const PUBLIC =
  /^(?:docker\.io|index\.docker\.io|registry-1\.docker\.io|quay\.io|ghcr\.io|gcr\.io|registry\.istio\.io|public\.ecr\.aws)$/;

/** An image that the whole world pulls from the same place. */
export const imagePublicRegistry: Rule = {
  id: "image-public-registry",
  severity: "info",
  title: "The image of istio-proxy or hc is pulled from a public registry.",
  reason:
    "Public registries limit how much an address may pull, and have outages. A rollout or a new node then waits for the proxy's image, and without the proxy no pod is Ready. It is what Istio installs by default, so this is no more than a hint.",
  fix: "mirror the image in a registry of your own: global.hub of Istio's charts, gateway.hc.image of a policy",
  examples: {
    bad: ["docker.io/istio/proxyv2:1.31.0", "gcr.io/istio-release/proxyv2:1.31.0", "istio/proxyv2:1.31.0"].map(
      (image) => gateway({ ...RENDERED, image }),
    ),
    good: [gateway(RENDERED), gateway({ ...RENDERED, image: "localhost:5000/istio/proxyv2:1.31.0" })],
  },
  *check({ workloads }): Iterable<Finding> {
    for (const { item, at, container, image } of imagesOf(workloads)) {
      const registry = registryOf(image);
      // Of hc without a registry image-pull says more: nobody put it at Docker Hub.
      if (registry === undefined ? container.name === "hc" : !PUBLIC.test(registry)) continue;
      const from = registry ?? "Docker Hub, since it names no registry";
      yield { item, at, message: `${container.name}: the image ${image} comes from ${from}.` };
    }
  },
};
