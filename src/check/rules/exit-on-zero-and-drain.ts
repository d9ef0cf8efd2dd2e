import { formatDuration } from "../../units/milliseconds.ts";
import { application } from "../example-manifests.ts";
import type { Finding, Rule } from "../rule.ts";

/** Both of Istio's ways to leave, as if both worked. */
export const exitOnZeroAndDrain: Rule = {
  id: "exit-on-zero-and-drain",
  severity: "warning",
  title: "EXIT_ON_ZERO_ACTIVE_CONNECTIONS and terminationDrainDuration are both set, as if both worked.",
  reason:
    "With EXIT_ON_ZERO_ACTIVE_CONNECTIONS the proxy ignores terminationDrainDuration: it leaves after MINIMUM_DRAIN_DURATION (5 s unless set) with its last connection, and has no upper bound but SIGKILL.",
  fix: "keep EXIT_ON_ZERO_ACTIVE_CONNECTIONS with MINIMUM_DRAIN_DURATION, or terminationDrainDuration alone",
  examples: {
    bad: [
      application({
        annotations: [
          "proxy.istio.io/config: |",
          "  terminationDrainDuration: 20s",
          '  proxyMetadata: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true" }',
        ],
      }),
    ],
    good: [
      application({
        annotations: [
          "proxy.istio.io/config: |",
          '  proxyMetadata: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true", MINIMUM_DRAIN_DURATION: 10s }',
        ],
      }),
      application({ annotations: ["proxy.istio.io/config: |", "  terminationDrainDuration: 20s"] }),
    ],
  },
  *check({ workloads }): Iterable<Finding> {
    for (const item of workloads) {
      const users = item.context?.users;
      if (users?.metadata.EXIT_ON_ZERO_ACTIVE_CONNECTIONS !== true || users.terminationDrainDuration === undefined)
        continue;
      yield {
        item,
        at: [...item.podAt, "metadata", "annotations", "proxy.istio.io/config"],
        message: `the proxy ignores terminationDrainDuration ${formatDuration(users.terminationDrainDuration)} and leaves with its last connection.`,
      };
    }
  },
};
