/**
 * The settings for a profile's balancer, in its own language.
 */
import { f5Timeout } from "../../budget/load-balancer.ts";
import { envoy, f5, generic, haproxy, netscaler, nginxPlus } from "./appliances.ts";
import { aws, azure, gcp } from "./clouds.ts";
import type { BalancerText, CheckSettings } from "./settings.ts";

/** What to paste where. */
export function balancerTexts(check: CheckSettings): readonly BalancerText[] {
  switch (check.profile) {
    case "haproxy":
      return [haproxy(check)];
    case "netscaler":
    case "netscaler-trofs":
      return [netscaler(check)];
    case "f5":
      return [f5(check, f5Timeout(check.interval, check.fall))];
    case "aws-nlb":
    case "aws-nlb-keep":
    case "aws-alb":
      return aws(check);
    case "gcp":
      return [gcp(check)];
    case "azure":
      return azure(check);
    case "nginx-plus":
      return [nginxPlus(check)];
    case "envoy":
      return [envoy(check)];
    default:
      return [generic(check), haproxy(check), netscaler(check), f5(check, f5Timeout(check.interval, check.fall))];
  }
}
