import { written } from "../../budget/formula.ts";
import { minReadySeconds as needed } from "../../budget/min-ready.ts";
import { withValue } from "../../manifests/workload.ts";
import { type JsonObject, objectAt } from "../../pod/json.ts";
import { inSeconds } from "../../units/milliseconds.ts";
import { isBehindBalancer } from "../behind-balancer.ts";
import { documents, gateway, service } from "../example-manifests.ts";
import { gatewaysOf, replicasOf } from "../inventory.ts";
import type { Finding, Rule } from "../rule.ts";

const INSIDE = service("type: ClusterIP", "ports: [{ port: 443, targetPort: 8443 }]");
const INGRESS = [
  "apiVersion: networking.k8s.io/v1",
  "kind: Ingress",
  "metadata: { name: edge, namespace: edge }",
  "spec: { defaultBackend: { service: { name: edge, port: { number: 443 } } } }",
  "",
].join("\n");

/** The next gateway may stop before the balancer has the last one back. */
export const minReadySeconds: Rule = {
  id: "min-ready-seconds",
  severity: "warning",
  title: "minReadySeconds is too small for the balancer's way back.",
  reason:
    "A rollout stops the next gateway as soon as the last one is available. If the balancer has not seen it come back by then, nobody is UP: 11 requests were lost where 0 were with minReadySeconds. hc cannot wait for it, since a pod that is not Ready gets no check. A gateway that only ClusterIP Services lead to, such as one for egress, has no balancer and needs none of it.",
  fix: "set minReadySeconds of the workload to checkTimeout + checkRise × checkInterval + 2 s; gracegate plan prints it",
  examples: {
    bad: [
      gateway({ workload: ["replicas: 2"] }),
      gateway({ workload: ["minReadySeconds: 3 # too few", "replicas: 2"] }),
      documents(gateway({ workload: ["replicas: 2"] }), INSIDE, INGRESS),
    ],
    good: [
      gateway({ workload: ["replicas: 2", "minReadySeconds: 7"] }),
      gateway({ workload: ["replicas: 1"] }),
      documents(gateway({ workload: ["replicas: 2"] }), INSIDE),
    ],
  },
  *check(inventory): Iterable<Finding> {
    for (const item of gatewaysOf(inventory)) {
      const spec = objectAt(item.object, "spec");
      const isOne = (replicasOf(inventory, item)?.most ?? 2) <= 1;
      const rolls = ["Deployment", "DaemonSet", "StatefulSet", "Rollout"].includes(item.kind);
      if (!rolls || isOne || !isBehindBalancer(inventory, item) || item.context?.role.kind !== "gateway") continue;
      const least = needed(item.context.role.settings.loadBalancer);
      const given = typeof spec.minReadySeconds === "number" ? spec.minReadySeconds : 0;
      if (given >= inSeconds(least.value)) continue;
      yield {
        item,
        at: ["spec", "minReadySeconds"],
        message: `minReadySeconds is ${given}, but the balancer needs ${written(least)} to have a gateway UP again.`,
        repair: (object) => withValue(object, ["spec", "minReadySeconds"], inSeconds(least.value)) as JsonObject,
      };
    }
  },
};
