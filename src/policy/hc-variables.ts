/**
 * Variables of hc that a policy says by a field of its own, or that follow from the budget: in `extraEnv` they would
 * part hc from the budget that the rest of the pod was made for.
 *
 * ENVOY_ADMIN_PORT and AGENT_STATUS_PORT are none of them: a mesh-wide port is seen in no pod, and has no other place.
 */
export const GOVERNED_VARIABLES: Readonly<Record<string, string>> = {
  DRAIN_TIMEOUT: "gateway.drainTimeout",
  LB_BUFFER: "gateway.loadBalancer.buffer",
  POLL_INTERVAL: "gateway.hc.pollInterval",
  GRACE_PERIOD: "gateway.margin",
  MINIMUM_DRAIN_DURATION: "gateway.minimumDrainDuration",
  LB_PROFILE: "gateway.loadBalancer.profile",
  LB_ANSWERS: "gateway.loadBalancer.answers",
  LB_DETECTION: "gateway.loadBalancer.profile and checkInterval",
  HEALTH_PATHS: "gateway.hc.healthPaths",
  HEALTH_PORT: "gateway.hc.port",
  CONTROL_PORT: "gateway.hc.controlPort",
  METRICS_PORT: "gateway.hc.metricsPort",
  HOOK_TOKEN: "gateway.proxyStop",
  RETIRE_CONNECTIONS: "gateway.retireConnections",
  LOG_LEVEL: "gateway.hc.logLevel",
};
