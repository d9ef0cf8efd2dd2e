import { objectAt, objectsAt } from "../../pod/json.ts";
import type { Finding, Rule } from "../rule.ts";
import { gatewaysOf, servicesOf } from "../world.ts";
import { documents, gateway, HC_SERVICE, service } from "./example-manifests.ts";
import { leadsToHc } from "./hc-service-missing.ts";
import { healthPortOf } from "./health-port.ts";

const checked = (port: number) =>
  service("type: LoadBalancer", "externalTrafficPolicy: Local", "ports: [{ port: 443, targetPort: 8443 }]").replace(
    "namespace: edge }",
    `namespace: edge, annotations: { service.beta.kubernetes.io/aws-load-balancer-healthcheck-port: "${port}" } }`,
  );

/** The balancer's check and hc's node port are not the same. */
export const healthPortDiffers: Rule = {
  id: "health-port-differs",
  severity: "error",
  title: "The balancer's check and hc's node port are on different ports.",
  reason: "A check on another port hears nothing of hc's answers: either always down, or up until the proxy is gone.",
  fix: "give the annotation the nodePort of hc's Service",
  examples: {
    bad: [documents(gateway(), checked(30181), HC_SERVICE)],
    good: [documents(gateway(), checked(30180), HC_SERVICE)],
  },
  *check(world): Iterable<Finding> {
    for (const workload of gatewaysOf(world)) {
      const services = servicesOf(world, workload);
      const nodePorts = services
        .filter((item) => leadsToHc(item, workload))
        .flatMap(({ object }) => objectsAt(objectAt(object, "spec"), "ports").map(({ nodePort }) => nodePort))
        .filter((port) => typeof port === "number");
      if (nodePorts.length === 0) continue;
      for (const item of services) {
        const health = healthPortOf(item);
        if (health === undefined || nodePorts.includes(health.port)) continue;
        yield {
          item,
          at: ["metadata", "annotations", health.name],
          message: `the balancer checks port ${health.port}, but hc answers at node port ${nodePorts.join(", ")}.`,
        };
      }
    }
  },
};
