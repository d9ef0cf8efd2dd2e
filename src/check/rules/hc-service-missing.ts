import { objectAt, objectsAt } from "../../pod/json.ts";
import type { Finding, Rule } from "../rule.ts";
import { gatewaysWithHc, type Item, servicesOf, type Workload } from "../world.ts";
import { cloudService, documents, gateway, HC_SERVICE, service } from "./example-manifests.ts";
import { targetsPods } from "./health-port.ts";

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
  *check(world): Iterable<Finding> {
    for (const workload of gatewaysWithHc(world)) {
      const services = servicesOf(world, workload);
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

/** The port at which hc of a gateway answers. */
export function hcPortOf({ context }: Workload): number {
  return context?.role.kind === "gateway" ? context.role.settings.hc.port : 18_180;
}

/** Whether a Service leads to hc of a gateway. */
export function leadsToHc(item: Item, workload: Workload): boolean {
  return objectsAt(objectAt(item.object, "spec"), "ports").some(
    ({ port, targetPort }) => (targetPort ?? port) === hcPortOf(workload) || targetPort === "hc",
  );
}
