/**
 * All rules of `check`, in the order of docs/check.md: pods, proxies, gateways, balancers, the cluster.
 */
import type { Rule } from "./rule.ts";
import { alertWithoutAbsent } from "./rules/alert-without-absent.ts";
import { allAtOnce } from "./rules/all-at-once.ts";
import { budgetBlocks } from "./rules/budget-blocks.ts";
import { durationWithoutUnit } from "./rules/duration-without-unit.ts";
import { exitOnZeroAndDrain } from "./rules/exit-on-zero-and-drain.ts";
import { externalTrafficPolicy } from "./rules/external-traffic-policy.ts";
import { graceBeyondPlatform } from "./rules/grace-beyond-platform.ts";
import { graceTooSmall } from "./rules/grace-too-small.ts";
import { hcServiceMissing } from "./rules/hc-service-missing.ts";
import { healthCheckNodePort } from "./rules/health-check-node-port.ts";
import { healthPortDiffers } from "./rules/health-port-differs.ts";
import { holdOnJob } from "./rules/hold-on-job.ts";
import { imagePublicRegistry } from "./rules/image-public-registry.ts";
import { imagePull } from "./rules/image-pull.ts";
import { limitRange } from "./rules/limit-range.ts";
import { minReadySeconds } from "./rules/min-ready-seconds.ts";
import { networkPolicyHidesHc } from "./rules/network-policy-hides-hc.ts";
import { podRefused } from "./rules/pod-refused.ts";
import { policyNotDelegated } from "./rules/policy-not-delegated.ts";
import { policyRefused } from "./rules/policy-refused.ts";
import { proxyConfigRefused } from "./rules/proxy-config-refused.ts";
import { proxyMetadataUnquoted } from "./rules/proxy-metadata-unquoted.ts";
import { publishNotReady } from "./rules/publish-not-ready.ts";
import { quotaRefusesHc } from "./rules/quota.ts";
import { rolloutDeadlock } from "./rules/rollout-deadlock.ts";
import { statsMatcherHidden } from "./rules/stats-matcher-hidden.ts";
import { streamWithoutEnd } from "./rules/stream-without-end.ts";
import { stubPullPolicy } from "./rules/stub-pull-policy.ts";
import { webhookOrder } from "./rules/webhook-order.ts";

/** All of them. */
export const rules: readonly Rule[] = [
  graceTooSmall,
  graceBeyondPlatform,
  podRefused,
  exitOnZeroAndDrain,
  proxyMetadataUnquoted,
  proxyConfigRefused,
  durationWithoutUnit,
  holdOnJob,
  statsMatcherHidden,
  stubPullPolicy,
  imagePull,
  imagePublicRegistry,
  minReadySeconds,
  allAtOnce,
  rolloutDeadlock,
  budgetBlocks,
  streamWithoutEnd,
  externalTrafficPolicy,
  hcServiceMissing,
  publishNotReady,
  healthCheckNodePort,
  healthPortDiffers,
  networkPolicyHidesHc,
  limitRange,
  quotaRefusesHc,
  webhookOrder,
  policyRefused,
  policyNotDelegated,
  alertWithoutAbsent,
];
