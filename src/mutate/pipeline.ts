/**
 * The pipeline: raw pod → facts → settings → budget → mutations. A pure function; the webhook and `inject` run it.
 */
import { type Notice, notice } from "../codes/registry.ts";
import { type Facts, factsOf } from "../pod/facts.ts";
import { type JsonObject, objectAt, valueAt } from "../pod/json.ts";
import { type Layer, pick, pickEither, type Sourced } from "../policy/layers.ts";
import { schemaAt } from "../policy/normalise.ts";
import { specPath } from "../policy/overrides.ts";
import { overridesOf } from "../policy/pod-overrides.ts";
import { type PolicySpec, policySpec } from "../policy/schema.ts";
import { settingAt } from "../policy/setting-path.ts";
import { resolveInvalid, resolveMode } from "../policy/settings.ts";
import { layersFor, type PolicySnapshot } from "../policy/snapshot.ts";
import type { Policy } from "../policy/validate.ts";
import { formatDuration, type Milliseconds } from "../units/milliseconds.ts";
import { mutate } from "./mutate.ts";
import { type Plan, planFor } from "./plan.ts";
import type { Whys } from "./why.ts";

/** The end of the sentence with which a pod is refused. */
const REFUSED = "The policy refuses such a pod (invalid: Deny).";

/** Containers of a pod that is changed, init containers included; no node runs as many in one pod. */
const MOST_CONTAINERS = 500;

/** What the pipeline needs besides the pod. */
export interface PipelineOptions {
  readonly snapshot: PolicySnapshot;
  /** Image for hc where no policy names one. */
  readonly hcImage: string;
  /** Names of Istio's injection templates that make a gateway. */
  readonly gatewayTemplates: readonly string[];
  /** The uid of the admission request, for the token of the proxy's hook; offline there is none. */
  readonly uid?: string | undefined;
}

/** What became of a pod. */
export interface Outcome {
  /** The same object where nothing changed. */
  readonly pod: JsonObject;
  readonly facts: Facts;
  readonly notices: readonly Notice[];
  /** Names of the mutations that changed something. */
  readonly changedBy: readonly string[];
  /** Why the parts are as they are that were written. */
  readonly whys: () => Whys;
  readonly policies: readonly Policy[];
  /** Why the pod is refused: only where a policy says `invalid: Deny`. */
  readonly refusal: string | undefined;
  /** The plan of the run; undefined for a pod that is left alone. */
  readonly plan: Plan | undefined;
}

/**
 * Runs the pipeline over one pod.
 *
 * @param namespace where the pod is created
 */
export function runPipeline(pod: JsonObject, namespace: string, options: PipelineOptions): Outcome {
  const facts = factsOf(pod, namespace, options.gatewayTemplates);
  const alone: Outcome = {
    pod,
    facts,
    notices: [],
    changedBy: [],
    whys: () => [],
    policies: [],
    refusal: undefined,
    plan: undefined,
  };
  const { role } = facts;
  if (role === "none") return alone;

  const held = layersFor(options.snapshot, { namespace, labels: facts.labels });
  const { layers: policyLayers, policies } = held;
  const overrides = overridesOf(facts.annotations, role, options.snapshot.delegation);
  const layers = [...policyLayers, ...overrides.layers];
  const mode = resolveMode(layers).value;
  const refuses = mode === "Enforce" && resolveInvalid(layers).value === "Deny";
  const bad = overrides.bad.map((one) =>
    notice("GG101", { ...one, instead: refuses ? REFUSED : insteadOf(one.setting, layers, role) }),
  );
  const notices = [...held.notices, ...overrides.notices, ...bad];
  if (mode === "Disabled") return { ...alone, policies };
  const [denied] = bad;
  if (denied !== undefined && refuses) return { ...alone, policies, notices, refusal: denied.text };
  // 0 makes the API server remove the pod at once: a wish to be killed, which nothing here may overrule.
  if (facts.gracePeriod === 0) return { ...alone, policies, notices: [...notices, notice("GG303", {})] };
  const containers = containersOf(pod);
  if (containers > MOST_CONTAINERS) {
    return { ...alone, policies, notices: [...notices, notice("GG406", { containers, most: MOST_CONTAINERS })] };
  }

  const decided = planFor(pod, facts, {
    layers,
    gracePeriodWish: overrides.gracePeriodWish,
    hcImage: options.hcImage,
    uid: options.uid,
    meshDrainDuration: options.snapshot.meshConfig?.drainDuration,
  });
  const plan: Plan = { ...decided, notices: [...notices, ...decided.notices] };
  const mutated = mutate(pod, { plan, policies, observe: mode === "Observe" });
  return { ...alone, ...mutated, policies, plan };
}

function containersOf(pod: JsonObject): number {
  const count = (list: string) => {
    const there = valueAt(objectAt(pod, "spec"), list);
    return Array.isArray(there) ? there.length : 0;
  };
  return count("containers") + count("initContainers");
}

/** What holds in place of an override that does not parse. */
function insteadOf(setting: string, layers: readonly Layer[], role: "gateway" | "sidecar"): string {
  const field = (name: string) => (spec: PolicySpec) => settingAt(spec, specPath(name, role));
  const using = (name: string, used: Sourced<unknown> | undefined): string =>
    used === undefined
      ? "It is ignored."
      : `Using ${name === setting ? "" : `${name} `}${shown(name, used.value)} from ${used.origin}.`;
  const shown = (name: string, value: unknown): string => {
    const isDuration = schemaAt(policySpec, specPath(name, role))?.kind === "duration";
    return isDuration ? formatDuration(value as Milliseconds) : String(value);
  };
  switch (setting) {
    case "":
      return using(setting, undefined);
    case "drainTimeout":
    case "requestP99": {
      // Two ways to say one thing: what holds may have been said the other way.
      const drain = pickEither(layers, field("drainTimeout"), field("requestP99"));
      if (drain === undefined) return using(setting, undefined);
      return "explicit" in drain ? using("drainTimeout", drain.explicit) : using("requestP99", drain.other);
    }
    case "loadBalancer.buffer": {
      const checks = (spec: PolicySpec) =>
        field("loadBalancer.checkInterval")(spec) ?? field("loadBalancer.checkFall")(spec);
      const buffer = pickEither(layers, field(setting), checks);
      return using(setting, buffer !== undefined && "explicit" in buffer ? buffer.explicit : undefined);
    }
    default:
      return using(setting, pick(layers, field(setting)));
  }
}
