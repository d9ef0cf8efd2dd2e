import { quoted } from "../../codes/quoted.ts";
import { configPath, configRepair } from "../config-repair.ts";
import { application } from "../example-manifests.ts";
import type { Finding, Rule } from "../rule.ts";

/** Variables that YAML reads as a bool or a number. */
export const proxyMetadataUnquoted: Rule = {
  id: "proxy-metadata-unquoted",
  severity: "error",
  title: "A variable under proxyMetadata is not quoted, and YAML reads it as a bool or a number.",
  reason: "Istio wants texts there and refuses the pod, with a message that blames Istio's injector.",
  fix: 'quote it: EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true"',
  examples: {
    bad: [
      application({
        annotations: [
          "proxy.istio.io/config: |",
          "  proxyMetadata:",
          "    EXIT_ON_ZERO_ACTIVE_CONNECTIONS: true # why not",
        ],
      }),
    ],
    good: [
      application({
        annotations: ["proxy.istio.io/config: |", "  proxyMetadata:", '    EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true"'],
      }),
    ],
  },
  *check({ workloads }): Iterable<Finding> {
    for (const item of workloads) {
      const names = item.context?.config?.unquoted ?? [];
      if (names.length === 0) continue;
      yield {
        item,
        at: configPath(item),
        message: `proxyMetadata ${names.map(quoted).join(", ")} must be quoted, or Istio refuses the pod.`,
        repair: configRepair(item, []),
      };
    }
  },
};
