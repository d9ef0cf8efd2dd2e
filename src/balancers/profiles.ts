/**
 * The load-balancer profiles. A new one is a module of this folder and a line here: the policy's choice, hc's answers, the
 * budget's numbers, the settings of `plan`, what `check` knows and the table in docs/lb-profiles.md follow from it.
 */
import { awsAlb, awsNlb, awsNlbKeep } from "./aws.ts";
import { azure } from "./azure.ts";
import { envoy } from "./envoy.ts";
import { f5 } from "./f5.ts";
import { gcp } from "./gcp.ts";
import { generic } from "./generic.ts";
import { haproxy } from "./haproxy.ts";
import { netscaler, netscalerTrofs } from "./netscaler.ts";
import { nginxPlus } from "./nginx-plus.ts";
import type { LbProfile } from "./profile.ts";

const byName = {
  generic,
  haproxy,
  netscaler,
  "netscaler-trofs": netscalerTrofs,
  f5,
  "aws-nlb": awsNlb,
  "aws-nlb-keep": awsNlbKeep,
  "aws-alb": awsAlb,
  gcp,
  azure,
  "nginx-plus": nginxPlus,
  envoy,
} as const satisfies Readonly<Record<string, LbProfile>>;

/** The name of a load-balancer profile. */
export type LbProfileName = keyof typeof byName;

/** The profiles by name. */
export const profiles: Readonly<Record<LbProfileName, LbProfile>> = byName;

/** Their names, in the order of the documentation. */
export const LB_PROFILES = Object.keys(profiles) as readonly LbProfileName[];
