import { parseGoDuration } from "../../pod/go-values.ts";
import type { ConfigPath } from "../../pod/proxy-config.ts";
import { MINIMUM_DRAIN } from "../../pod/proxy-variables.ts";
import { configPath, configRepair } from "../config-repair.ts";
import { application } from "../example-manifests.ts";
import type { Finding, Rule } from "../rule.ts";

const PATHS: readonly ConfigPath[] = [
  ["terminationDrainDuration"],
  ["drainDuration"],
  ["proxyMetadata", MINIMUM_DRAIN],
];

/** A duration that Istio cannot read. */
export const durationWithoutUnit: Rule = {
  id: "duration-without-unit",
  severity: "error",
  title: "A duration in proxy.istio.io/config has no unit, or one that Go does not know.",
  reason:
    "Istio refuses the pod for a field of its own; a MINIMUM_DRAIN_DURATION that the agent cannot read becomes 5 s without a word.",
  fix: "write the unit: 40s, 1m30s",
  examples: {
    bad: [
      application({ annotations: ["proxy.istio.io/config: |", "  terminationDrainDuration: 20 # seconds"] }),
      application({
        annotations: ["proxy.istio.io/config: |", '  proxyMetadata: { MINIMUM_DRAIN_DURATION: "10 sec" }'],
      }),
    ],
    good: [application({ annotations: ["proxy.istio.io/config: |", "  terminationDrainDuration: 20s"] })],
  },
  *check({ workloads }): Iterable<Finding> {
    for (const item of workloads) {
      for (const path of PATHS) {
        const value = item.context?.config?.get(path);
        if (typeof value !== "string" || parseGoDuration(value) !== undefined) continue;
        const isNumber = /^[0-9]+$/.test(value);
        yield {
          item,
          at: configPath(item),
          message: `${path.at(-1)} ${JSON.stringify(value)} is not a duration with a unit${isNumber ? `; write ${value}s` : ""}.`,
          ...(isNumber ? { repair: configRepair(item, [{ path, value: `${value}s` }]) } : {}),
        };
      }
    }
  },
};
