import type { Path } from "../../manifests/workload.ts";
import { objectAt, withKey } from "../../pod/json.ts";
import { MAX_POLICIES } from "../../policy/bounds.ts";
import { API_VERSION, KIND } from "../../policy/schema.ts";
import { validatePolicy } from "../../policy/validate.ts";
import { documents } from "../example-manifests.ts";
import { itemsOf } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const policy = (spec: string) =>
  [
    `apiVersion: ${API_VERSION}`,
    `kind: ${KIND}`,
    "metadata: { name: default, namespace: edge }",
    `spec: ${spec}`,
    "",
  ].join("\n");

const crowd = (count: number) =>
  documents(...Array.from({ length: count }, (_, index) => policy("{}").replace("default", `p${index}`)));

/** A GracePolicy that the webhook does not use. */
export const policyRefused: Rule = {
  id: "policy-refused",
  severity: "error",
  title: "A GracePolicy cannot be used: a field is unknown, a value is none that it takes, or there are too many.",
  reason:
    "The API server refuses such a policy, or drops the field without a word; from a file the webhook does not start with it, and keeps the policies that it had. Pods then get other numbers than the policy says.",
  fix: "write what docs/policy.md has for the field",
  examples: {
    bad: [
      policy("{ gateway: { requestP99: foo } }"),
      policy("{ gateway: { unknownField: 3 } } # a typing error"),
      policy("{ mode: Sometimes }"),
      crowd(MAX_POLICIES + 1),
    ],
    good: [policy("{ gateway: { requestP99: 30s } }"), policy("{}").replace(", namespace: edge", ""), crowd(3)],
  },
  *check(inventory): Iterable<Finding> {
    for (const item of itemsOf(inventory, KIND)) {
      // Of another API group, or one that kubectl -n puts into its namespace.
      if (!String(item.object.apiVersion).startsWith(`${API_VERSION.split("/")[0]}/`)) continue;
      const metadata = withKey(objectAt(item.object, "metadata"), "namespace", item.namespace);
      const validated = validatePolicy(withKey(item.object, "metadata", metadata));
      if (validated.ok) continue;
      for (const { path, reason } of validated.refusals) {
        yield { item, at: stepsOf(path), message: `${path} ${reason}.` };
      }
    }
    for (const [namespace, all] of Map.groupBy(itemsOf(inventory, KIND), (item) => item.namespace)) {
      if (namespace === inventory.options.snapshot.rootNamespace) continue;
      const names = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      for (const item of names.slice(MAX_POLICIES)) {
        yield {
          item,
          at: ["metadata", "name"],
          message: `namespace ${namespace} has ${all.length} policies; the first ${MAX_POLICIES} by name hold, and this one is skipped.`,
        };
      }
    }
  },
};

/** `spec.selector.matchExpressions[0].key` as steps. */
function stepsOf(path: string): Path {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key]) =>
    index === undefined ? (key ?? "") : Number(index),
  );
}
