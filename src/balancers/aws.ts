/**
 * AWS: the target group of an NLB or ALB, by its command line and by the annotations of a Service.
 */
import {
  type BalancerText,
  block,
  type CheckSettings,
  keepsSessions,
  type LbProfile,
  withoutDrainAnswer,
} from "./profile.ts";

const PREFIX = "service.beta.kubernetes.io/aws-load-balancer";

/** The attribute of a target group that says whether its connections are cut. */
const TERMINATION = "target_health_state.unhealthy.connection_termination.enabled";

const targetGroup: Pick<LbProfile, "checkInterval" | "least" | "annotations"> = {
  checkInterval: 30,
  // Interval 5 to 300 s, timeout 2 to 120 s, both thresholds 2 to 10.
  least: { checkInterval: 5, checkTimeout: 2, checks: 2 },
  annotations: {
    healthPort:
      /^(?:service\.beta\.kubernetes\.io\/aws-load-balancer-healthcheck|alb\.ingress\.kubernetes\.io\/healthcheck)-port$/,
    targetsPods: { [`${PREFIX}-nlb-target-type`]: "ip", [`${PREFIX}-type`]: "nlb-ip" },
  },
};

/** NLB that cuts. */
export const awsNlb: LbProfile = {
  ...withoutDrainAnswer,
  ...targetGroup,
  doc: "AWS NLB with connection termination on, its default",
  checkFall: 3,
  onDown: { sessions: "cut" },
  settings: (check) => [commands(check), annotations(check)],
};

/** NLB that was told to keep. */
export const awsNlbKeep: LbProfile = {
  ...keepsSessions,
  ...targetGroup,
  doc: "AWS NLB with unhealthy.connection_termination.enabled=false",
  checkFall: 3,
  settings: (check) => [
    commands(check, [
      "aws elbv2 modify-target-group-attributes --target-group-arn ARN --attributes \\",
      `  Key=${TERMINATION},Value=false`,
    ]),
    annotations(check, [`    ${PREFIX}-target-group-attributes: >-`, `      ${TERMINATION}=false`]),
  ],
};

/** ALB. */
export const awsAlb: LbProfile = {
  ...keepsSessions,
  ...targetGroup,
  doc: "AWS ALB",
  checkFall: 2,
  settings: (check) => [commands(check)],
};

function commands(check: CheckSettings, more: readonly string[] = []): BalancerText {
  return block("AWS CLI", "sh", [
    `# targets of type instance; of type ip: port ${check.hcPort}, hc's own in the pods`,
    "aws elbv2 modify-target-group --target-group-arn ARN \\",
    `  --health-check-protocol HTTP --health-check-port ${check.nodePort} \\`,
    `  --health-check-path ${check.path} --matcher HttpCode=200 \\`,
    `  --health-check-interval-seconds ${check.interval} --health-check-timeout-seconds ${check.timeout} \\`,
    `  --unhealthy-threshold-count ${check.fall} --healthy-threshold-count ${check.rise}`,
    ...more,
  ]);
}

function annotations(check: CheckSettings, more: readonly string[] = []): BalancerText {
  return block("Service of the AWS Load Balancer Controller", "yaml", [
    `# ${PREFIX.slice(PREFIX.indexOf("/") + 1)}-nlb-target-type: instance`,
    `# with ip the port is "${check.hcPort}", hc's own in the pods`,
    "metadata:",
    "  annotations:",
    `    ${PREFIX}-healthcheck-protocol: http`,
    `    ${PREFIX}-healthcheck-port: "${check.nodePort}"`,
    `    ${PREFIX}-healthcheck-path: ${check.path}`,
    `    ${PREFIX}-healthcheck-interval: "${check.interval}"`,
    `    ${PREFIX}-healthcheck-timeout: "${check.timeout}"`,
    `    ${PREFIX}-healthcheck-unhealthy-threshold: "${check.fall}"`,
    `    ${PREFIX}-healthcheck-healthy-threshold: "${check.rise}"`,
    ...more,
  ]);
}
