/**
 * Envoy as the balancer: a 503 takes an endpoint out at once.
 */
import { block, keepsSessions, type LbProfile } from "./profile.ts";

/** Envoy with active health checks. */
export const envoy: LbProfile = {
  ...keepsSessions,
  doc: "Envoy as the balancer, with active health checks",
  detection: "1 × interval",
  checkInterval: 5,
  checkFall: 2,
  settings: (check) => [
    block("Envoy", "yaml", [
      "health_checks:                 # in the cluster",
      `  - timeout: ${check.timeout}s`,
      `    interval: ${check.interval}s`,
      `    unhealthy_threshold: ${check.fall}`,
      `    healthy_threshold: ${check.rise}`,
      "    http_health_check:",
      `      path: ${check.path}`,
      "# and in each endpoint",
      `health_check_config: { port_value: ${check.nodePort} }`,
    ]),
  ],
};
