/**
 * Why a pod is left alone, for people.
 */
import type { InjectedWorkload } from "../manifests/inject.ts";
import type { RoleRule } from "../pod/role.ts";

/** Only the rules that lead to no role. */
const REASONS: Partial<Record<RoleRule, string>> = {
  "mirror-pod": "it is the mirror of a static pod",
  windows: "it runs on Windows",
  "inject-false": 'it says gracegate.dev/inject: "false"',
  "role-override": "it says gracegate.dev/role: none",
  waypoint: "it is a waypoint of ambient mesh",
  "proxyless-grpc": "it has gRPC without a proxy",
  "not-envoy": "its proxy is no Envoy",
  "injection-refused": "it refuses Istio's injection",
  "host-network": "it is on the host network, where Istio injects nothing",
};

/** Completes the sentence "… is left alone: …". */
export function reasonLeftAlone({ skipped, outcome }: InjectedWorkload): string {
  if (skipped !== undefined) return skipped;
  if (outcome === undefined) return "nobody looked at it";
  if (outcome.refusal !== undefined) return outcome.refusal.replace(/\.$/, "");
  const { role, rule, gracePeriod } = outcome.facts;
  if (role === "none") return REASONS[rule] ?? rule;
  if (gracePeriod === 0) return "it wants to be killed at once (terminationGracePeriodSeconds: 0)";
  if (outcome.notices.some(({ code }) => code === "GG406"))
    return "it has more containers than any node runs in one pod";
  return "the mode of its policy is Disabled";
}
