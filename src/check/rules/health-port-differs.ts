import { objectAt, objectsAt } from "../../pod/json.ts";
import { cloudService, documents, gateway, HC_SERVICE } from "../example-manifests.ts";
import { hcPortOf, leadsToHc } from "../hc-port.ts";
import { healthPortOf, targetsPods } from "../health-port.ts";
import { gatewaysWithHc, servicesOf } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const checked = (port: number, ...more: readonly string[]) =>
  cloudService(`service.beta.kubernetes.io/aws-load-balancer-healthcheck-port: "${port}"`, ...more);
const TARGETS = "service.beta.kubernetes.io/aws-load-balancer-nlb-target-type: ip";

/** The balancer's check and hc's node port are not the same. */
export const healthPortDiffers: Rule = {
  id: "health-port-differs",
  severity: "error",
  title: "The balancer's check and hc's node port are on different ports.",
  reason: "A check on another port hears nothing of hc's answers: either always down, or up until the proxy is gone.",
  fix: "give the annotation the nodePort of hc's Service, or hc's own port where the balancer's targets are IP addresses",
  examples: {
    bad: [documents(gateway(), checked(30181), HC_SERVICE), documents(gateway(), checked(30180, TARGETS), HC_SERVICE)],
    good: [documents(gateway(), checked(30180), HC_SERVICE), documents(gateway(), checked(18180, TARGETS), HC_SERVICE)],
  },
  *check(inventory): Iterable<Finding> {
    for (const workload of gatewaysWithHc(inventory)) {
      const services = servicesOf(inventory, workload);
      const nodePorts = services
        .filter((item) => leadsToHc(item, workload))
        .flatMap(({ object }) => objectsAt(objectAt(object, "spec"), "ports").map(({ nodePort }) => nodePort))
        .filter((port) => typeof port === "number");
      for (const item of services) {
        const health = healthPortOf(item);
        // What asks the traffic's port is another rule's.
        if (health === undefined || health.port === "traffic-port") continue;
        const isPods = targetsPods(item);
        const right = isPods ? [hcPortOf(workload)] : nodePorts;
        if (right.length === 0 || right.includes(health.port)) continue;
        yield {
          item,
          at: ["metadata", "annotations", health.name],
          message: `the balancer checks port ${health.port}, but hc answers at ${isPods ? "the pods'" : "node"} port ${right.join(", ")}.`,
        };
      }
    }
  },
};
