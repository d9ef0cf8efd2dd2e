import { objectAt } from "../../pod/json.ts";
import { cloudService, documents, gateway, HC_SERVICE, service } from "../example-manifests.ts";
import { hcPortOf, leadsToHc } from "../hc-port.ts";
import { targetsPods } from "../health-port.ts";
import { gatewaysWithHc, servicesOf } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const TRAFFIC = service("type: NodePort", "externalTrafficPolicy: Local", "ports: [{ port: 443, targetPort: 8443 }]");

const PORT = 'service.beta.kubernetes.io/aws-load-balancer-healthcheck-port: "30180"';

/** No port of the nodes leads to hc. */
export const hcServiceMissing: Rule = {
  id: "hc-service-missing",
  severity: "info",
  title: "No Service in these manifests leads the balancer's check to hc.",
  reason:
    "The balancer has to ask hc (port 18180), not the proxy's readiness: only hc's answer says that a gateway is about to leave. The chart makes such a Service for each of its `gateways`; then this is nothing to mend.",
  fix: "name the gateway in the chart's `gateways`, or add a NodePort Service with port 18180 and externalTrafficPolicy Local",
  examples: {
    bad: [documents(gateway(), TRAFFIC), documents(gateway(), cloudService(PORT))],
    good: [documents(gateway(), TRAFFIC, HC_SERVICE), documents(gateway(), cloudService(PORT), HC_SERVICE), gateway()],
  },
  *check(inventory): Iterable<Finding> {
    for (const workload of gatewaysWithHc(inventory)) {
      const services = servicesOf(inventory, workload);
      const fromOutside = services.find((item) => {
        const { type } = objectAt(item.object, "spec");
        return (type === "NodePort" || type === "LoadBalancer") && !targetsPods(item);
      });
      if (fromOutside === undefined || services.some((item) => leadsToHc(item, workload))) continue;
      yield {
        item: fromOutside,
        at: ["spec", "ports"],
        message: `${workload.kind} ${workload.name} is reached through this Service, and no Service leads to hc's port ${hcPortOf(workload)}.`,
      };
    }
  },
};
