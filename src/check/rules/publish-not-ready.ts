import { withValue } from "../../manifests/workload.ts";
import { type JsonObject, objectAt } from "../../pod/json.ts";
import { documents, gateway, HC_SERVICE } from "../example-manifests.ts";
import { leadsToHc } from "../hc-port.ts";
import { gatewaysWithHc, servicesOf } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

/** hc's Service also leads to pods that are not Ready. */
export const publishNotReady: Rule = {
  id: "publish-not-ready",
  severity: "error",
  title: "The Service of hc publishes addresses that are not ready.",
  reason:
    "A gateway that starts beside the old one is not Ready yet and answers 503, so the balancer would hear the old pod's answer and the new one's in turn.",
  fix: "remove publishNotReadyAddresses from hc's Service",
  examples: {
    bad: [documents(gateway(), HC_SERVICE.replace("  type:", "  publishNotReadyAddresses: true\n  type:"))],
    good: [documents(gateway(), HC_SERVICE)],
  },
  *check(inventory): Iterable<Finding> {
    for (const workload of gatewaysWithHc(inventory)) {
      for (const item of servicesOf(inventory, workload)) {
        if (!leadsToHc(item, workload) || objectAt(item.object, "spec").publishNotReadyAddresses !== true) continue;
        yield {
          item,
          at: ["spec", "publishNotReadyAddresses"],
          message: "publishNotReadyAddresses mixes the answers of the pod that leaves and the one that starts.",
          repair: (object) => withValue(object, ["spec", "publishNotReadyAddresses"], undefined) as JsonObject,
        };
      }
    }
  },
};
