/**
 * A plan as a list of sections, from which text and Markdown are made, and as data for programs.
 */
import { stringify } from "yaml";
import type { BalancerText } from "../../balancers/profile.ts";
import { profiles } from "../../balancers/profiles.ts";
import type { JsonObject } from "../../pod/json.ts";
import { inSeconds } from "../../units/milliseconds.ts";
import { adviceFor } from "./advice.ts";
import type { Plan } from "./plan.ts";

/** Where the balancer reaches hc. */
export interface Reach {
  readonly nodePort: number;
  readonly path: string;
}

/** A piece to paste, with its title. */
export type Snippet = BalancerText;

/** What a plan is called. */
export function titleOf({ wish, context }: Plan): string {
  return context.role.kind === "gateway"
    ? `a gateway behind ${context.role.settings.loadBalancer.profile.value}`
    : `a sidecar${wish.applicationStop > 0 ? ` of an application that stops for ${wish.applicationStop}s` : ""}`;
}

/** All that is to be pasted: policy, balancer, workload, Helm values. */
export function snippetsOf(plan: Plan, reach: Reach): readonly Snippet[] {
  const yaml = (title: string, value: unknown): Snippet => ({
    title,
    language: "yaml",
    text: stringify(value, { lineWidth: 0 }),
  });
  const policy = yaml("GracePolicy", plan.policy);
  const { role } = plan.context;
  if (plan.gateway === undefined || role.kind !== "gateway") return [policy];
  const { loadBalancer, hc } = role.settings;
  const texts = profiles[loadBalancer.profile.value].settings({
    interval: Math.ceil(inSeconds(plan.gateway.balancer.checkInterval)),
    fall: plan.gateway.balancer.checkFall,
    rise: plan.gateway.balancer.checkRise,
    timeout: Math.ceil(inSeconds(plan.gateway.balancer.checkTimeout)),
    hcPort: hc.port,
    drainAnswer: plan.gateway.balancer.drainAnswer,
    ...reach,
  });
  return [
    policy,
    ...texts,
    yaml("the gateway's Deployment or DaemonSet", {
      spec: { minReadySeconds: inSeconds(plan.gateway.minReady.value) },
    }),
    yaml("Helm values of charts/gracegate: the Service at which the balancer asks hc", {
      gateways: [
        {
          namespace: plan.wish.namespace,
          selector: { istio: "ingressgateway" },
          port: hc.port,
          nodePort: reach.nodePort,
        },
      ],
    }),
  ];
}

/** A plan as data. */
export function planData(plan: Plan, reach: Reach): JsonObject {
  const { warnings, recommendations } = adviceFor(plan);
  const { role } = plan.context;
  return {
    role: role.kind,
    profile: role.kind === "gateway" ? role.settings.loadBalancer.profile.value : null,
    budget: Object.fromEntries(
      plan.terms.map(({ key, span, arithmetic }) => [key, { seconds: inSeconds(span), arithmetic }]),
    ),
    policy: plan.policy,
    snippets: snippetsOf(plan, reach)
      .slice(1)
      .map(({ title, language, text }) => ({ title, language, text })),
    warnings,
    recommendations,
  };
}
