/**
 * What holds where no policy says anything: the farthest level of the settings.
 *
 * The gateway's numbers are the runbook's example: p99 30 s, an LB that checks every 2 s and lets a backend fall after 2
 * failures, which gives 36 / 9 / 36 / 75 s. A sidecar has no drain timeout of its own: it takes what the grace leaves.
 */
import { seconds } from "../units/milliseconds.ts";
import type { PolicySpec } from "./schema.ts";

/** The built-in settings. The LB's interval and fall come from its profile. */
export const builtIn = {
  mode: "Enforce",
  invalid: "Warn",
  gateway: {
    requestP99: seconds(30),
    loadBalancer: { profile: "generic", checkRise: 2, checkTimeout: seconds(1) },
    exitOnZeroActiveConnections: true,
    holdApplicationUntilProxyStarts: true,
    proxyStop: "Hold",
    retireConnections: true,
    margin: seconds(30),
    maxGracePeriod: seconds(600),
    hc: {
      enabled: true,
      port: 18180,
      controlPort: 18181,
      metricsPort: 18182,
      pollInterval: seconds(1),
      healthPaths: ["/health_check.html"],
      logLevel: "info",
      resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { cpu: "500m", memory: "128Mi" } },
    },
  },
  sidecar: {
    holdApplicationUntilProxyStarts: true,
    margin: seconds(5),
    maxGracePeriod: seconds(600),
    applicationPreStopSleep: seconds(0),
  },
} as const satisfies PolicySpec;
