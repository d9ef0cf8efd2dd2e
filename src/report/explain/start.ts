/**
 * How a pod starts, in order. No step has a length that a manifest could tell, but for the balancer's.
 */
import { written } from "../../budget/formula.ts";
import { loadBalancerOf } from "../../budget/load-balancer.ts";
import { minReadySeconds } from "../../budget/min-ready.ts";
import type { Context } from "../../mutate/context.ts";
import type { Facts } from "../../pod/facts.ts";
import { objectAt, valueAt } from "../../pod/json.ts";
import { formatDuration } from "../../units/milliseconds.ts";

/** One step. */
export interface Step {
  readonly text: string;
  /** Requests are lost here. */
  readonly isLossy: boolean;
}

/** The steps of a pod that waits for its proxy or does not. */
export function startSteps(context: Context, how: { readonly holds: boolean; readonly hc: boolean }): readonly Step[] {
  const { role, facts } = context;
  if (role.kind === "sidecar") return sidecarSteps(facts, how.holds);
  const { checkInterval, checkRise } = loadBalancerOf(role.settings.loadBalancer);
  const ready = minReadySeconds(role.settings.loadBalancer);
  return [
    good(how.hc ? "istio-proxy and hc start; hc is CLOSED and answers the balancer 503" : "istio-proxy starts"),
    good(`istio-proxy is ready on 15021${how.hc ? ": hc goes OPEN and answers 200" : ""}; the pod is Ready`),
    good(`the balancer has it UP after ${checkRise} checks, one every ${formatDuration(checkInterval)}`),
    good(`the next gateway may stop: minReadySeconds ${written(ready)}`),
  ];
}

function sidecarSteps({ proxy }: Facts, holds: boolean): readonly Step[] {
  if (proxy?.native) {
    return [good("istio-proxy starts before the containers"), good("istio-proxy is ready: the application starts")];
  }
  if (holds) {
    return [good("istio-proxy starts first"), good("istio-proxy is ready: the application starts, and can call out")];
  }
  return [
    good("istio-proxy and the application start together"),
    { text: "what the application calls before istio-proxy is ready fails", isLossy: true },
  ];
}

function good(text: string): Step {
  return { text, isLossy: false };
}

/** Whether the pod, as it stands, starts its application after the proxy. */
export function holdsNow({ facts, config }: Context, meshHolds: boolean | undefined): boolean {
  const written = config?.get(["holdApplicationUntilProxyStarts"]);
  // Istio's injector turns the setting into a postStart hook that waits.
  const waits = valueAt(objectAt(facts.proxy?.container, "lifecycle"), "postStart") !== undefined;
  return waits || (written === undefined ? meshHolds === true : String(written) === "true");
}
