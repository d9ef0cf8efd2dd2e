/**
 * Balancers of clouds, by their command lines and by the annotations of a Service.
 */
import { block } from "./appliances.ts";
import type { BalancerText, CheckSettings } from "./settings.ts";

/** AWS: the target group of an NLB or ALB. */
export function aws(check: CheckSettings): readonly BalancerText[] {
  const keep = check.profile === "aws-nlb-keep";
  const attribute = "target_health_state.unhealthy.connection_termination.enabled";
  const prefix = "service.beta.kubernetes.io/aws-load-balancer";
  const commands = block("AWS CLI", "sh", [
    `# targets of type instance; of type ip: port ${check.hcPort}, hc's own in the pods`,
    "aws elbv2 modify-target-group --target-group-arn ARN \\",
    `  --health-check-protocol HTTP --health-check-port ${check.nodePort} \\`,
    `  --health-check-path ${check.path} --matcher HttpCode=200 \\`,
    `  --health-check-interval-seconds ${check.interval} --health-check-timeout-seconds ${check.timeout} \\`,
    `  --unhealthy-threshold-count ${check.fall} --healthy-threshold-count ${check.rise}`,
    ...(keep
      ? [
          "aws elbv2 modify-target-group-attributes --target-group-arn ARN --attributes \\",
          `  Key=${attribute},Value=false`,
        ]
      : []),
  ]);
  if (check.profile === "aws-alb") return [commands];
  const annotations = block("Service of the AWS Load Balancer Controller", "yaml", [
    `# ${prefix.slice(prefix.indexOf("/") + 1)}-nlb-target-type: instance`,
    `# with ip the port is "${check.hcPort}", hc's own in the pods`,
    "metadata:",
    "  annotations:",
    `    ${prefix}-healthcheck-protocol: http`,
    `    ${prefix}-healthcheck-port: "${check.nodePort}"`,
    `    ${prefix}-healthcheck-path: ${check.path}`,
    `    ${prefix}-healthcheck-interval: "${check.interval}"`,
    `    ${prefix}-healthcheck-timeout: "${check.timeout}"`,
    `    ${prefix}-healthcheck-unhealthy-threshold: "${check.fall}"`,
    `    ${prefix}-healthcheck-healthy-threshold: "${check.rise}"`,
    ...(keep ? [`    ${prefix}-target-group-attributes: >-`, `      ${attribute}=false`] : []),
  ]);
  return [commands, annotations];
}

/** Google Cloud's health check. */
export function gcp(check: CheckSettings): BalancerText {
  return block("gcloud", "sh", [
    "gcloud compute health-checks create http gracegate-hc \\",
    `  --port ${check.nodePort} --request-path ${check.path} \\`,
    `  --check-interval ${check.interval}s --timeout ${check.timeout}s \\`,
    `  --unhealthy-threshold ${check.fall} --healthy-threshold ${check.rise}`,
  ]);
}

/** Azure: the probe of a load balancer, and a Service's annotations for its port 443. */
export function azure(check: CheckSettings): readonly BalancerText[] {
  const prefix = "service.beta.kubernetes.io/port_443_health-probe";
  return [
    block("Azure CLI", "sh", [
      "az network lb probe create --resource-group GROUP --lb-name LB \\",
      `  --name gracegate-hc --protocol http --port ${check.nodePort} --path ${check.path} \\`,
      `  --interval ${check.interval} --probe-threshold ${check.fall}`,
    ]),
    block("Service on AKS, for its port 443", "yaml", [
      "metadata:",
      "  annotations:",
      `    ${prefix}_protocol: http`,
      `    ${prefix}_port: "${check.nodePort}"`,
      `    ${prefix}_request-path: ${check.path}`,
      `    ${prefix}_interval: "${check.interval}"`,
      `    ${prefix}_num-of-probe: "${check.fall}"`,
    ]),
  ];
}
