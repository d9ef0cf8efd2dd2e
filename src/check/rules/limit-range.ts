import { objectAt, objectsAt, textAt } from "../../pod/json.ts";
import { parseQuantity } from "../../units/quantity.ts";
import type { Finding, Rule } from "../rule.ts";
import { hcResourcesIn, itemsOf } from "../world.ts";
import { documents, gateway } from "./example-manifests.ts";

const range = (line: string) =>
  [
    "apiVersion: v1",
    "kind: LimitRange",
    "metadata: { name: limits, namespace: edge }",
    "spec:",
    `  limits: [{ type: Container, ${line} }]`,
    "",
  ].join("\n");

/** A LimitRange that refuses hc. */
export const limitRange: Rule = {
  id: "limit-range-refuses-hc",
  severity: "error",
  title: "A LimitRange of the namespace refuses hc.",
  reason:
    "hc asks for little (10m and 64Mi, limits 500m and 128Mi). A minimum above that, or a maximum below it, makes the API server refuse every new gateway pod.",
  fix: "set gateway.hc.resources in the policy to what the LimitRange allows",
  examples: {
    bad: [documents(gateway(), range("min: { memory: 128Mi }")), documents(gateway(), range("max: { cpu: 250m }"))],
    good: [documents(gateway(), range("min: { memory: 32Mi }, max: { cpu: 2 }"))],
  },
  *check(world): Iterable<Finding> {
    for (const item of itemsOf(world, "LimitRange")) {
      const resources = hcResourcesIn(world, item.namespace);
      if (resources === undefined) continue;
      for (const [index, limit] of objectsAt(objectAt(item.object, "spec"), "limits").entries()) {
        if (limit.type !== "Container") continue;
        for (const resource of ["cpu", "memory"]) {
          const request = textAt(objectAt(resources, "requests"), resource);
          const most = textAt(objectAt(resources, "limits"), resource) ?? request;
          const [min, max] = [objectAt(limit, "min")[resource], objectAt(limit, "max")[resource]];
          const isUnder = (parseQuantity(request) ?? Number.POSITIVE_INFINITY) < (parseQuantity(min) ?? 0);
          const isOver = (parseQuantity(most) ?? 0) > (parseQuantity(max) ?? Number.POSITIVE_INFINITY);
          if (!isUnder && !isOver) continue;
          yield {
            item,
            at: ["spec", "limits", index],
            message: isUnder
              ? `hc requests ${request} of ${resource}, less than the minimum ${String(min)}.`
              : `hc's limit of ${resource} is ${most}, more than the maximum ${String(max)}.`,
          };
        }
      }
    }
  },
};
