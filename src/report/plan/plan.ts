/**
 * A plan for numbers that somebody has: the policy that says them, and what the pipeline makes of it for a bare pod.
 *
 * The pod is made up, the rest is the webhook's own path, so that a plan and a pod in the cluster cannot differ.
 */
import type { Formula } from "../../budget/formula.ts";
import type { LoadBalancer } from "../../budget/load-balancer.ts";
import { loadBalancerOf } from "../../budget/load-balancer.ts";
import { minReadySeconds } from "../../budget/min-ready.ts";
import { type Notice, notice } from "../../codes/registry.ts";
import type { Context } from "../../mutate/context.ts";
import { runPipeline } from "../../mutate/pipeline.ts";
import type { JsonObject } from "../../pod/json.ts";
import { snapshotOf } from "../../policy/snapshot.ts";
import { policyObject, validatePolicy } from "../../policy/validate.ts";
import type { Seconds } from "../../units/duration.ts";
import { gatewayTerms, sidecarTerms, type Term } from "./terms.ts";

/** What a plan is made for. */
export interface PlanWish {
  readonly role: "gateway" | "sidecar";
  readonly name: string;
  readonly namespace: string;
  /** The role's part of the policy, as a person writes it. */
  readonly settings: JsonObject;
  /** The application's preStop, seconds; sidecars only. */
  readonly applicationStop: Seconds;
  /** The balancer's way back to UP where it takes longer than rise × interval; gateways only. */
  readonly wayBack?: Formula | undefined;
}

/** A plan, or why the numbers cannot be used. */
export type Planned =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly problems: readonly Notice[] };

/** Everything that follows from the numbers. */
export interface Plan {
  readonly wish: PlanWish;
  readonly terms: readonly Term[];
  readonly policy: JsonObject;
  readonly notices: readonly Notice[];
  readonly context: Context;
  /** What only a gateway has. */
  readonly gateway: { readonly balancer: LoadBalancer; readonly minReady: Formula } | undefined;
}

/** Plans. */
export function planOf(wish: PlanWish): Planned {
  const policy = policyObject(wish.name, wish.namespace, { [wish.role]: wish.settings });
  const validated = validatePolicy(policy);
  if (!validated.ok) {
    const problems = validated.refusals.map(({ path, reason }) =>
      notice("GG601", { where: "the numbers", path, reason }),
    );
    return { ok: false, problems };
  }
  const { plan } = runPipeline(podFor(wish), wish.namespace, {
    snapshot: snapshotOf([validated.policy], "gracegate"),
    hcImage: "gracegate",
    gatewayTemplates: ["gateway"],
  });
  if (plan === undefined) throw new Error("a bare pod has no plan");
  const { context } = plan;
  const { budget, role } = context;
  const gateway =
    role.kind === "gateway"
      ? {
          balancer: loadBalancerOf(role.settings.loadBalancer),
          minReady: longer(minReadySeconds(role.settings.loadBalancer), wish.wayBack),
        }
      : undefined;
  return {
    ok: true,
    plan: {
      wish,
      policy,
      context,
      notices: plan.notices,
      terms: gateway === undefined ? sidecarTerms(budget) : gatewayTerms(budget, gateway.balancer, gateway.minReady),
      gateway,
    },
  };
}

function longer(a: Formula, b: Formula | undefined): Formula {
  return b !== undefined && b.value > a.value ? b : a;
}

function podFor({ role, applicationStop }: PlanWish): JsonObject {
  const proxy = { name: "istio-proxy", image: "istio", args: ["proxy", role === "gateway" ? "router" : "sidecar"] };
  const hook = applicationStop > 0 ? { lifecycle: { preStop: { sleep: { seconds: applicationStop } } } } : {};
  const application = { name: "app", image: "app", ...hook };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {},
    spec: { containers: role === "gateway" ? [proxy] : [application, proxy] },
  };
}
