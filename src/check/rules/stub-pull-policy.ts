import { withValue } from "../../manifests/workload.ts";
import type { JsonObject } from "../../pod/json.ts";
import { valueAt } from "../../pod/json.ts";
import { gateway } from "../example-manifests.ts";
import type { Finding, Rule } from "../rule.ts";

const stub = (...container: readonly string[]) => gateway({ container });

/** A stub of istio-proxy that will be pulled at every start. */
export const stubPullPolicy: Rule = {
  id: "stub-pull-policy",
  severity: "warning",
  title: "The stub of istio-proxy has no imagePullPolicy.",
  reason:
    "The image `auto` has no tag, so the API server writes Always before Istio's injector puts the real image in: every start of the gateway then needs its image registry, and a registry's rate limit stops a rollout.",
  fix: "set imagePullPolicy: IfNotPresent on the stub",
  examples: { bad: [stub("ports: [{ containerPort: 8443 }]")], good: [stub("imagePullPolicy: IfNotPresent")] },
  *check({ workloads }): Iterable<Finding> {
    for (const item of workloads) {
      const proxy = item.context?.facts.proxy;
      if (proxy?.container.image !== "auto" || valueAt(proxy.container, "imagePullPolicy") !== undefined) continue;
      const at = [...item.podAt, "spec", proxy.list, proxy.index, "imagePullPolicy"];
      yield {
        item,
        at,
        message: "istio-proxy with the image auto becomes imagePullPolicy: Always.",
        repair: (object) => withValue(object, at, "IfNotPresent") as JsonObject,
      };
    }
  },
};
