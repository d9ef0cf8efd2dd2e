import { objectAt } from "../../pod/json.ts";
import { cloudService, documents, gateway, HC_SERVICE, service } from "../example-manifests.ts";
import { targetsPods } from "../health-port.ts";
import { gatewaysOf, servicesOf } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const AWS = "service.beta.kubernetes.io/aws-load-balancer";
const PORTS = "ports: [{ port: 443, targetPort: 8443 }]";

/** A gateway's Service that sends on to other nodes. */
export const externalTrafficPolicy: Rule = {
  id: "external-traffic-policy",
  severity: "warning",
  title: "A gateway's Service forwards to other nodes: externalTrafficPolicy is not Local.",
  reason:
    "With Cluster a node answers the balancer's check with some gateway's health, not its own, so a drain takes nobody out; a connection through another node is cut when that node goes, and clients lose their address.",
  fix: "set externalTrafficPolicy: Local, for the traffic's and for hc's Service, where the balancer checks each node (a node without a gateway then takes nothing)",
  examples: {
    bad: [
      documents(gateway(), HC_SERVICE, service("type: NodePort", PORTS)),
      documents(
        gateway(),
        HC_SERVICE,
        service("type: NodePort", "externalTrafficPolicy: Cluster # the default", PORTS),
      ),
    ],
    good: [
      documents(gateway(), HC_SERVICE, service("type: NodePort", "externalTrafficPolicy: Local", PORTS)),
      documents(gateway(), HC_SERVICE, service("type: ClusterIP", PORTS)),
      documents(
        gateway(),
        cloudService(`${AWS}-nlb-target-type: ip`, `${AWS}-healthcheck-port: "18180"`).replace(
          "externalTrafficPolicy: Local",
          "externalTrafficPolicy: Cluster",
        ),
      ),
    ],
  },
  *check(inventory): Iterable<Finding> {
    const services = new Set(gatewaysOf(inventory).flatMap((workload) => servicesOf(inventory, workload)));
    for (const item of services) {
      const spec = objectAt(item.object, "spec");
      if (spec.type !== "NodePort" && spec.type !== "LoadBalancer") continue;
      // Where the balancer's targets are the pods themselves no node forwards anything.
      if (spec.externalTrafficPolicy === "Local" || targetsPods(item)) continue;
      yield {
        item,
        at: ["spec", "externalTrafficPolicy"],
        message: `externalTrafficPolicy is ${String(spec.externalTrafficPolicy ?? "Cluster, the default")}.`,
      };
    }
  },
};
