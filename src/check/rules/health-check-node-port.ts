import { objectAt } from "../../pod/json.ts";
import type { Finding, Rule } from "../rule.ts";
import { gatewaysOf, servicesOf } from "../world.ts";
import { documents, gateway, service } from "./example-manifests.ts";
import { healthPortOf } from "./health-port.ts";

const LOCAL = ["type: LoadBalancer", "externalTrafficPolicy: Local", "ports: [{ port: 443, targetPort: 8443 }]"];

/** The balancer asks kube-proxy instead of hc. */
export const healthCheckNodePort: Rule = {
  id: "health-check-node-port",
  severity: "warning",
  title: "The balancer checks the Service's healthCheckNodePort instead of hc.",
  reason:
    "kube-proxy's own health port turns 503 within 0.2 s of a pod's deletion, while the pod still serves. A balancer that asks there is DOWN at once and cuts what is in flight, whatever hc says.",
  fix: "point the balancer's check at hc's node port, by the Service's annotation or at the balancer",
  examples: {
    bad: [documents(gateway(), service("healthCheckNodePort: 31000", ...LOCAL))],
    good: [
      documents(gateway(), service(...LOCAL)),
      documents(
        gateway(),
        service("healthCheckNodePort: 31000", ...LOCAL).replace(
          "namespace: edge }",
          'namespace: edge, annotations: { service.beta.kubernetes.io/aws-load-balancer-healthcheck-port: "30180" } }',
        ),
      ),
    ],
  },
  *check(world): Iterable<Finding> {
    for (const workload of gatewaysOf(world)) {
      for (const item of servicesOf(world, workload)) {
        const { healthCheckNodePort: port } = objectAt(item.object, "spec");
        if (port === undefined || healthPortOf(item) !== undefined) continue;
        yield {
          item,
          at: ["spec", "healthCheckNodePort"],
          message: `a check on port ${String(port)} is answered by kube-proxy, which knows no drain.`,
        };
      }
    }
  },
};
