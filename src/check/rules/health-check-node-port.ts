import { objectAt } from "../../pod/json.ts";
import { cloudService, documents, gateway, HC_SERVICE, service } from "../example-manifests.ts";
import { healthPortOf, targetsPods } from "../health-port.ts";
import { gatewaysOf, type Item, servicesOf } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const LOCAL = ["type: LoadBalancer", "externalTrafficPolicy: Local", "ports: [{ port: 443, targetPort: 8443 }]"];
const PORT = "service.beta.kubernetes.io/aws-load-balancer-healthcheck-port";
const TARGETS = "service.beta.kubernetes.io/aws-load-balancer-nlb-target-type: ip";

/** The balancer asks kube-proxy, or the proxy, instead of hc. */
export const healthCheckNodePort: Rule = {
  id: "health-check-node-port",
  severity: "warning",
  title: "The balancer checks the Service's healthCheckNodePort or its traffic's port instead of hc.",
  reason:
    "A cloud's balancer asks the healthCheckNodePort of a Service with externalTrafficPolicy Local unless an annotation says another port. There kube-proxy turns 503 within 0.2 s of a pod's deletion, while the pod still serves, so the balancer has it DOWN at once and cuts what is in flight, whatever hc says. The traffic's port answers until the proxy is gone, so nothing tells the balancer of a drain.",
  fix: "point the balancer's check at hc's node port (at hc's own port where the targets are IP addresses), by the Service's annotation; where it is set at the balancer itself, ignore this rule with a comment that says so",
  examples: {
    bad: [
      documents(gateway(), HC_SERVICE, service("healthCheckNodePort: 31000", ...LOCAL)),
      documents(gateway(), HC_SERVICE, service(...LOCAL)),
      documents(gateway(), HC_SERVICE, cloudService(`${PORT}: traffic-port`)),
      documents(gateway(), cloudService(TARGETS)),
    ],
    good: [
      documents(gateway(), HC_SERVICE, cloudService(`${PORT}: "30180"`)),
      documents(gateway(), cloudService(TARGETS, `${PORT}: "18180"`)),
      documents(gateway(), HC_SERVICE, service("type: NodePort", ...LOCAL.slice(1))),
    ],
  },
  *check(inventory): Iterable<Finding> {
    for (const workload of gatewaysOf(inventory)) {
      for (const item of servicesOf(inventory, workload)) {
        const found = problemOf(item);
        if (found !== undefined) yield { item, ...found };
      }
    }
  },
};

function problemOf(item: Item): Pick<Finding, "at" | "message"> | undefined {
  const health = healthPortOf(item);
  if (health?.port === "traffic-port") {
    const message = "a check on the traffic's port is answered by the proxy, which knows no drain.";
    return { at: ["metadata", "annotations", health.name], message };
  }
  if (health !== undefined) return undefined;
  const { healthCheckNodePort: port, type, externalTrafficPolicy } = objectAt(item.object, "spec");
  if (port !== undefined && !targetsPods(item)) {
    const message = `a check on port ${String(port)} is answered by kube-proxy, which knows no drain.`;
    return { at: ["spec", "healthCheckNodePort"], message };
  }
  if (type !== "LoadBalancer") return undefined;
  const message = "no annotation names the check's port, and a cloud's own choice is";
  if (targetsPods(item)) {
    return { at: ["metadata", "annotations"], message: `${message} the traffic's, where the proxy knows no drain.` };
  }
  if (externalTrafficPolicy !== "Local") return undefined;
  return {
    at: ["spec", "externalTrafficPolicy"],
    message: `${message} the healthCheckNodePort, where kube-proxy knows no drain.`,
  };
}
