import type { JsonObject } from "../../pod/json.ts";
import { gateway, RENDERED } from "../example-manifests.ts";
import { imagesOf, registryOf } from "../images.ts";
import type { Finding, Rule } from "../rule.ts";

const withHc = (image: string) => gateway({ pod: ["initContainers:", `  - { name: hc, image: "${image}" }`] });

/** An image that may be another one tomorrow, or must be fetched at every start. */
export const imagePull: Rule = {
  id: "image-pull",
  severity: "warning",
  title: "The image of istio-proxy or hc is fetched at every start, is another one tomorrow, or names no registry.",
  reason:
    "A rollout starts many pods at once. With imagePullPolicy Always, or a tag such as latest, each needs the registry; its rate limit or an outage then stops the rollout half way. An image of hc without a registry, such as Gracegate's default, is looked for at Docker Hub, where nobody put it.",
  fix: "give the image a registry and a version, and imagePullPolicy: IfNotPresent; hc's is gateway.hc.image of a policy, or --hc-image",
  examples: {
    bad: [
      gateway({ ...RENDERED, image: "registry.example/istio/proxyv2:latest" }),
      gateway({ ...RENDERED, container: [...(RENDERED.container ?? []), "imagePullPolicy: Always"] }),
      // No tag means latest; the colon of a port is none.
      gateway({ ...RENDERED, image: "registry.example/istio/proxyv2" }),
      gateway({ ...RENDERED, image: "localhost:5000/istio/proxyv2" }),
      withHc("registry.example/gracegate"),
      withHc("gracegate:1"),
    ],
    good: [
      gateway(RENDERED),
      gateway({ ...RENDERED, image: "localhost:5000/istio/proxyv2:1.31.0" }),
      gateway({ ...RENDERED, image: `registry.example/istio/proxyv2@sha256:${"0".repeat(64)}` }),
      withHc("registry.example/gracegate:1"),
    ],
  },
  *check({ workloads }): Iterable<Finding> {
    for (const { item, at, container, image } of imagesOf(workloads)) {
      const reason = reasonOf(container, image);
      if (reason !== undefined) yield { item, at, message: `${container.name}: ${reason}.` };
    }
  },
};

function reasonOf(container: JsonObject, image: string): string | undefined {
  const isLoose = /(?::latest|^[^:]+|\/[^:]+)$/.test(image);
  if (isLoose) return `the image ${image} has no fixed version`;
  if (container.name === "hc" && registryOf(image) === undefined) return `the image ${image} names no registry`;
  return container.imagePullPolicy === "Always" ? "imagePullPolicy is Always" : undefined;
}
