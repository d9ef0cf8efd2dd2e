/**
 * Azure: the probe of a load balancer, and a Service's annotations for its port 443.
 */
import { block, keepsSessions, type LbProfile } from "./profile.ts";

const PREFIX = "service.beta.kubernetes.io/port_443_health-probe";

/** Azure Load Balancer. */
export const azure: LbProfile = {
  ...keepsSessions,
  doc: "Azure Load Balancer",
  checkInterval: 5,
  checkFall: 2,
  // A probe's interval is at least 5 s.
  least: { checkInterval: 5, checkTimeout: 1, checks: 1 },
  annotations: {
    healthPort: /^service\.beta\.kubernetes\.io\/(?:azure-load-balancer-health-probe|port_[0-9]+_health-probe)_?port$/,
  },
  settings: (check) => [
    block("Azure CLI", "sh", [
      "az network lb probe create --resource-group GROUP --lb-name LB \\",
      `  --name gracegate-hc --protocol http --port ${check.nodePort} --path ${check.path} \\`,
      `  --interval ${check.interval} --probe-threshold ${check.fall}`,
    ]),
    block("Service on AKS, for its port 443", "yaml", [
      "metadata:",
      "  annotations:",
      `    ${PREFIX}_protocol: http`,
      `    ${PREFIX}_port: "${check.nodePort}"`,
      `    ${PREFIX}_request-path: ${check.path}`,
      `    ${PREFIX}_interval: "${check.interval}"`,
      `    ${PREFIX}_num-of-probe: "${check.fall}"`,
    ]),
  ],
};
