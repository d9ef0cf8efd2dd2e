import { type JsonObject, objectAt, objectsAt, textsAt, valueAt } from "../../pod/json.ts";
import { isBehindBalancer } from "../behind-balancer.ts";
import { documents, gateway, service } from "../example-manifests.ts";
import { hcPortOf } from "../hc-port.ts";
import { gatewaysWithHc, itemsOf, selects } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const policy = (ports: string) =>
  [
    "apiVersion: networking.k8s.io/v1",
    "kind: NetworkPolicy",
    "metadata: { name: edge, namespace: edge }",
    "spec:",
    "  podSelector: { matchLabels: { app: edge } }",
    "  policyTypes: [Ingress]",
    `  ingress: [{ ports: ${ports} }]`,
    "",
  ].join("\n");

/** A NetworkPolicy that lets nobody ask hc. */
export const networkPolicyHidesHc: Rule = {
  id: "network-policy-hides-hc",
  severity: "error",
  title: "A NetworkPolicy keeps the balancer's check from hc.",
  reason: "A check that is dropped counts as failed, so the balancer has the gateway DOWN, or never UP.",
  fix: "let port 18180 in from the balancer (from anywhere, where it cannot be named: hc's port only reads)",
  examples: {
    bad: [
      documents(gateway(), policy("[{ port: 8443 }]")),
      documents(gateway(), policy("[{ port: 8443 }, { port: 18180, protocol: UDP }]")),
    ],
    good: [
      documents(gateway(), policy("[{ port: 8443 }, { port: 18180 }]")),
      documents(gateway(), policy("[{ port: 18000, endPort: 18999 }]")),
      documents(gateway(), policy("[{ port: 8443 }]"), service("type: ClusterIP", "ports: [{ port: 443 }]")),
    ],
  },
  *check(inventory): Iterable<Finding> {
    for (const workload of gatewaysWithHc(inventory)) {
      if (!isBehindBalancer(inventory, workload)) continue;
      const policies = itemsOf(inventory, "NetworkPolicy").filter((item) => {
        const spec = objectAt(item.object, "spec");
        const types = textsAt(spec, "policyTypes");
        return (
          (types.length === 0 || types.includes("Ingress")) && selects(item, objectAt(spec, "podSelector"), workload)
        );
      });
      const port = hcPortOf(workload);
      const rules = policies.flatMap(({ object }) => objectsAt(objectAt(object, "spec"), "ingress"));
      // Policies add up: one that lets it in is enough.
      const [item] = policies;
      if (item === undefined || rules.some((rule) => letsIn(rule, port))) continue;
      yield { item, at: ["spec", "ingress"], message: `no ingress rule for ${workload.name} lets port ${port} in.` };
    }
  },
};

function letsIn(rule: JsonObject, wanted: number): boolean {
  if (valueAt(rule, "ports") === undefined) return true;
  return objectsAt(rule, "ports").some(({ port, endPort, protocol = "TCP" }) => {
    if (protocol !== "TCP") return false;
    if (port === undefined || port === "hc") return true;
    return typeof port === "number" && wanted >= port && wanted <= (typeof endPort === "number" ? endPort : port);
  });
}
