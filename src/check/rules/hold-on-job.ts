import { configPath, configRepair } from "../config-repair.ts";
import { application } from "../example-manifests.ts";
import type { Finding, Rule } from "../rule.ts";

const HOLD = ["proxy.istio.io/config: |", "  holdApplicationUntilProxyStarts: true", "  drainDuration: 45s"];

/** holdApplicationUntilProxyStarts on a pod that ends by itself. */
export const holdOnJob: Rule = {
  id: "hold-on-job",
  severity: "warning",
  title: "holdApplicationUntilProxyStarts is set on a pod that ends by itself.",
  reason:
    "It makes istio-proxy the first container with a postStart hook that waits. In a Job's pod that does not restart, a proxy that is late fails the pod and the Job's backoff begins.",
  fix: "remove it from pods whose restartPolicy is not Always",
  examples: {
    bad: [application({ kind: "Job", annotations: HOLD, pod: ["restartPolicy: Never"] })],
    good: [application({ annotations: HOLD }), application({ kind: "Job", pod: ["restartPolicy: Never"] })],
  },
  *check({ workloads }): Iterable<Finding> {
    for (const item of workloads) {
      const { context } = item;
      if (context === undefined || context.facts.restartsAlways) continue;
      const path = ["holdApplicationUntilProxyStarts"] as const;
      if (context.config?.get(path) !== "true") continue;
      yield {
        item,
        at: configPath(item),
        message: "holdApplicationUntilProxyStarts makes the pod of a Job wait for its proxy, or fail.",
        repair: configRepair(item, [{ path, value: undefined }]),
      };
    }
  },
};
