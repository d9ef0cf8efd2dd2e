import { type JsonObject, objectAt, textAt } from "../../pod/json.ts";
import { builtIn } from "../../policy/built-in.ts";
import { parseQuantity } from "../../units/quantity.ts";
import type { Finding, Rule } from "../rule.ts";
import { gatewaysOf, itemsOf } from "../world.ts";
import { documents, gateway } from "./example-manifests.ts";

const quota = (...lines: readonly string[]) =>
  [
    "apiVersion: v1",
    "kind: ResourceQuota",
    "metadata: { name: quota, namespace: edge }",
    "spec: { hard: { limits.memory: 4Gi } }",
    ...lines,
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
      documents(gateway(), quota()),
    ],
  },
  *check(world): Iterable<Finding> {
    for (const item of itemsOf(world, "ResourceQuota")) {
      const workload = gatewaysOf(world).find(({ namespace }) => namespace === item.namespace);
      if (workload?.context?.role.kind !== "gateway") continue;
      const resources = workload.context.role.settings.hc.resources ?? builtIn.gateway.hc.resources;
      const used = objectAt(objectAt(item.object, "status"), "used");
      for (const [name, hard] of Object.entries(objectAt(objectAt(item.object, "spec"), "hard"))) {
        const needed = neededBy(resources, name);
        const [most, taken, more] = [hard, used[name] ?? "0", needed].map((value) => parseQuantity(value) ?? 0);
        if (needed === undefined || (taken ?? 0) + (more ?? 0) <= (most ?? 0)) continue;
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
function neededBy(resources: JsonObject | typeof builtIn.gateway.hc.resources, name: string): string | undefined {
  const [kind, resource] = name.includes(".") ? name.split(".") : ["requests", name];
  if (kind !== "requests" && kind !== "limits") return undefined;
  return textAt(objectAt(resources as JsonObject, kind), resource ?? "");
}
