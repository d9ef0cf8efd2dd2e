import assert from "node:assert/strict";
import { it } from "node:test";
import { seconds } from "../units/milliseconds.ts";
import { builtIn } from "./built-in.ts";

it("the built-in settings are the runbook's numbers, out of the schema", () => {
  assert.deepEqual(builtIn, {
    mode: "Enforce",
    invalid: "Warn",
    gateway: {
      requestP99: seconds(30),
      exitOnZeroActiveConnections: true,
      holdApplicationUntilProxyStarts: true,
      maxGracePeriod: seconds(600),
      loadBalancer: { profile: "generic", checkRise: 2, checkTimeout: seconds(1) },
      proxyStop: "Hold",
      retireConnections: true,
      margin: seconds(30),
      hc: {
        enabled: true,
        resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { cpu: "500m", memory: "128Mi" } },
        port: 18180,
        controlPort: 18181,
        metricsPort: 18182,
        pollInterval: seconds(1),
        healthPaths: ["/health_check.html"],
        logLevel: "info",
      },
    },
    sidecar: {
      holdApplicationUntilProxyStarts: true,
      maxGracePeriod: seconds(600),
      margin: seconds(5),
      applicationPreStopSleep: seconds(0),
    },
  });
});
