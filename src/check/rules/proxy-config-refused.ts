import { configPath } from "../config-repair.ts";
import { application } from "../example-manifests.ts";
import type { Finding, Rule } from "../rule.ts";

/** A field of proxy.istio.io/config with a type that Istio's decoder refuses. */
export const proxyConfigRefused: Rule = {
  id: "proxy-config-refused",
  severity: "error",
  title: "A field of proxy.istio.io/config has a type that Istio refuses.",
  reason: "Istio's decoder takes no bool in quotes and no mapping for a number or a duration; it refuses the pod.",
  fix: "write the bare value: holdApplicationUntilProxyStarts: true",
  examples: {
    bad: [
      application({ annotations: ["proxy.istio.io/config: |", '  holdApplicationUntilProxyStarts: "true"'] }),
      application({ annotations: ["proxy.istio.io/config: |", "  holdApplicationUntilProxyStarts: { value: true }"] }),
      application({ annotations: ["proxy.istio.io/config: |", "  terminationDrainDuration: { seconds: 30 }"] }),
    ],
    good: [
      application({ annotations: ["proxy.istio.io/config: |", "  holdApplicationUntilProxyStarts: true"] }),
      application({ annotations: ["proxy.istio.io/config: |", '  concurrency: "2"'] }),
    ],
  },
  *check({ workloads }): Iterable<Finding> {
    for (const item of workloads) {
      const refused = item.context?.config?.refused;
      if (refused === undefined) continue;
      yield {
        item,
        at: configPath(item),
        message: `${refused.field} is not ${refused.wants}, so Istio refuses the pod.`,
      };
    }
  },
};
