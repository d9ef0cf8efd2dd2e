import { objectAt, withKey } from "../../pod/json.ts";
import { beyondDelegation, type Delegation, delegationNotices, delegationOf } from "../../policy/delegation.ts";
import { API_VERSION, KIND } from "../../policy/schema.ts";
import { validatePolicy } from "../../policy/validate.ts";
import { type Inventory, type Item, itemsOf } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const policy = (namespace: string, spec: string) =>
  [
    `apiVersion: ${API_VERSION}`,
    `kind: ${KIND}`,
    `metadata: { name: default, namespace: ${namespace} }`,
    `spec: ${spec}`,
    "",
  ].join("\n");

const IMAGE = "{ gateway: { hc: { image: registry.example/gracegate:1 } } }";

/** A GracePolicy that says what its namespace may not. */
export const policyNotDelegated: Rule = {
  id: "policy-not-delegated",
  severity: "warning",
  title: "A GracePolicy sets a field that is the cluster's owner's and that he has not delegated.",
  reason:
    "hc runs beside every gateway's proxy, so what runs in it, and with which privileges and Secrets, is the cluster's owner's. A namespace's policy that sets it is refused where the webhook's review is called, and elsewhere the field is skipped: pods get another hc than the policy says.",
  fix: "remove the field, or have it in delegate of a policy of Gracegate's own namespace (--root-namespace); check knows the policies in --policy, in the cluster, and among the manifests",
  examples: {
    bad: [policy("edge", IMAGE), policy("edge", "{ delegate: [hc.image] }")],
    good: [
      policy("gracegate", IMAGE),
      [policy("gracegate", "{ delegate: [hc.image] }"), policy("edge", IMAGE)].join("---\n"),
    ],
  },
  *check(inventory): Iterable<Finding> {
    const delegation = delegationIn(inventory);
    for (const item of itemsOf(inventory, KIND)) {
      const paths = beyondDelegation(item.namespace, objectAt(item.object, "spec"), delegation);
      for (const path of paths) {
        const [notice] = delegationNotices(item, [path], delegation);
        if (notice !== undefined) yield { item, at: ["spec", ...path.split(".")], message: notice.text };
      }
    }
  },
};

/** What the policies among the manifests delegate, or else those that are in force. */
function delegationIn(inventory: Inventory): Delegation {
  const { rootNamespace, delegation } = inventory.options.snapshot;
  const own = itemsOf(inventory, KIND).filter(({ namespace }) => namespace === rootNamespace);
  const read = own.map(inItsNamespace).map(validatePolicy);
  const policies = read.flatMap((one) => (one.ok ? [one.policy] : []));
  return policies.some(({ spec }) => spec.delegate !== undefined) ? delegationOf(rootNamespace, policies) : delegation;
}

/** The object with the namespace that kubectl -n puts it into. */
function inItsNamespace({ object, namespace }: Item) {
  return withKey(object, "metadata", withKey(objectAt(object, "metadata"), "namespace", namespace));
}
