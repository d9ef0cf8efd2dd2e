import { type JsonObject, objectAt, textAt } from "../../pod/json.ts";
import { parseQuantity } from "../../units/quantity.ts";
import { documents, gateway } from "../example-manifests.ts";
import { gatewaysWithHc, hasHc, hcResourcesOf, itemsOf } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const quota = (...lines: readonly string[]) =>
  [
    "apiVersion: v1",
    "kind: ResourceQuota",
    "metadata: { name: quota, namespace: edge }",
    "spec: { hard: { limits.memory: 4Gi } }",
    ...lines,
    "",
  ].join("\n");

/** A pod of the gateway, as it came through the webhook. */
const RUNNING = [
  "apiVersion: v1",
  "kind: Pod",
  "metadata:",
  "  name: edge-7d9f-1",
  "  namespace: edge",
  "  labels: { app: edge }",
  "  annotations: { inject.istio.io/templates: gateway }",
  "spec:",
  "  terminationGracePeriodSeconds: 75",
  "  containers: [{ name: istio-proxy, image: auto, imagePullPolicy: IfNotPresent }, { name: hc, image: registry.example/gracegate:1 }]",
  "",
].join("\n");

/** A quota that has no room for hc. */
export const quotaRefusesHc: Rule = {
  id: "quota-refuses-hc",
  severity: "warning",
  title: "The namespace's quota has no room for one more hc.",
  reason:
    "hc is a container in every gateway pod and counts against the quota. Where nothing is left for it the ReplicaSet cannot make the new pod, and a rollout stops half way. (What is used is seen in a cluster, or in what kubectl prints.)",
  fix: "raise the quota, or lower gateway.hc.resources in the policy",
  examples: {
    bad: [documents(gateway(), quota("status: { hard: { limits.memory: 4Gi }, used: { limits.memory: 4000Mi } }"))],
    good: [
      documents(gateway(), quota("status: { hard: { limits.memory: 4Gi }, used: { limits.memory: 2Gi } }")),
      documents(gateway(), RUNNING, quota("status: { hard: { limits.memory: 4Gi }, used: { limits.memory: 4000Mi } }")),
      documents(gateway(), quota()),
      documents(gateway(), quota("status: { used: { limits.memory: USED } }")),
      documents(
        gateway(),
        quota("status: { used: { limits.memory: 4Gi } }").replace("spec: {", "spec: { scopes: [BestEffort],"),
      ),
    ],
  },
  *check(inventory): Iterable<Finding> {
    for (const item of itemsOf(inventory, "ResourceQuota")) {
      // Where hc is in the pods already, what is used contains it.
      const gateway = gatewaysWithHc(inventory).find(
        (one) => one.namespace === item.namespace && !hasHc(inventory, one),
      );
      const resources = gateway && hcResourcesOf(gateway);
      if (resources === undefined) continue;
      const spec = objectAt(item.object, "spec");
      // A scope may leave gateway pods out, and which pods it means is more than a manifest tells.
      if (spec.scopes !== undefined || spec.scopeSelector !== undefined) continue;
      const used = objectAt(objectAt(item.object, "status"), "used");
      for (const [name, hard] of Object.entries(objectAt(spec, "hard"))) {
        const needed = neededBy(resources, name);
        const [most, taken, more] = [hard, used[name] ?? "0", needed].map((value) => parseQuantity(value));
        if (needed === undefined || most === undefined || taken === undefined || more === undefined) continue;
        if (taken + more <= most) continue;
        yield {
          item,
          at: ["spec", "hard", name],
          message: `${name}: ${String(used[name] ?? "0")} of ${String(hard)} is used, and hc needs ${needed}.`,
        };
      }
    }
  },
};

/** What hc adds to a line of a quota: `requests.cpu`, `limits.memory`; `cpu` means requests. */
function neededBy(resources: JsonObject, name: string): string | undefined {
  const [kind, resource] = name.includes(".") ? name.split(".") : ["requests", name];
  if (kind !== "requests" && kind !== "limits") return undefined;
  const of = (list: string) => textAt(objectAt(resources, list), resource ?? "");
  // As in the container: a missing limit is the request, and the other way round.
  return kind === "limits" ? (of("limits") ?? of("requests")) : (of("requests") ?? of("limits"));
}
