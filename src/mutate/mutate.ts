/**
 * Runs the mutations over a pod, in order, and keeps a result that the API server would refuse from leaving.
 */
import { type Notice, notice } from "../codes/registry.ts";
import type { JsonObject, JsonValue } from "../pod/json.ts";
import { podProblems } from "../pod/pod-rules.ts";
import type { Policy } from "../policy/validate.ts";
import { applicationLifecycle } from "./application-lifecycle.ts";
import type { Mutation } from "./context.ts";
import { gracePeriod } from "./grace-period.ts";
import { hcContainer } from "./hc-container.ts";
import type { Plan } from "./plan.ts";
import { proxyConfig } from "./proxy-config.ts";
import { proxyEnvironment } from "./proxy-environment.ts";
import { proxyLifecycle } from "./proxy-lifecycle.ts";
import { withStatus } from "./status.ts";
import type { Whys } from "./why.ts";

/** The mutations, in the order in which they are applied. The status comes last and is no choice. */
export const mutations: readonly Mutation[] = [
  proxyConfig,
  proxyEnvironment,
  hcContainer,
  proxyLifecycle,
  applicationLifecycle,
  gracePeriod,
];

/** Problems that a warning names. */
const MOST_PROBLEMS = 3;

/** A pod after the mutations. */
export interface Mutated {
  /** The same object as before where nothing changed. */
  readonly pod: JsonObject;
  readonly notices: readonly Notice[];
  /** Names of the mutations that changed something. */
  readonly changedBy: readonly string[];
  /** Why the parts are as they are that the mutations are there for. */
  readonly whys: () => Whys;
}

/** What a run needs besides the pod. */
export interface MutateInput {
  readonly plan: Plan;
  readonly policies: readonly Policy[];
  /** Only write the status. */
  readonly observe: boolean;
}

/**
 * Applies all mutations to a pod.
 *
 * If the result breaks a rule of the API server that the pod did not break before, the mutation that does it is left out
 * with a warning; if that is not enough, more of them, and in the end all. The status goes with the last of them only:
 * without it a second call would take our values for the user's.
 */
export function mutate(pod: JsonObject, input: MutateInput): Mutated {
  const first = run(pod, input, new Set(), []);
  if (first.pod === pod) return first;
  const problems = podProblems(first.pod);
  if (problems.length === 0) return first;
  const known = new Set(podProblems(pod));
  const isNew = (problem: string) => !known.has(problem);
  const fresh = problems.filter(isNew);
  if (fresh.length === 0) return first;
  const problem = fresh.slice(0, MOST_PROBLEMS).join("; ");
  const candidates = first.changedBy;
  const attempts = [
    ...candidates.map((name) => [name]),
    ...candidates.slice(0, -1).map((_, index) => candidates.slice(candidates.length - 2 - index)),
  ];
  for (const dropped of attempts) {
    const warnings = [notice("GG405", { mutation: dropped.join(", "), problem })];
    const attempt = run(pod, input, new Set(dropped), warnings);
    if (!podProblems(attempt.pod).some(isNew)) return attempt;
  }
  return { pod, notices: [notice("GG405", { mutation: "every change", problem })], changedBy: [], whys: () => [] };
}

function run(pod: JsonObject, input: MutateInput, without: ReadonlySet<string>, warnings: readonly Notice[]): Mutated {
  const { context, notices: planned } = input.plan;
  const notices: Notice[] = [...planned, ...warnings];
  const changedBy: string[] = [];
  const wrote: Record<string, JsonValue> = {};
  const whys: (() => Whys)[] = [];
  let result = pod;
  for (const mutation of input.observe ? [] : mutations) {
    if (without.has(mutation.name)) continue;
    const change = mutation.apply(result, context);
    notices.push(...(change.notices ?? []));
    if (change.whys !== undefined) whys.push(change.whys);
    Object.assign(wrote, change.wrote);
    if (change.pod !== result) changedBy.push(mutation.name);
    result = change.pod;
  }
  const hasStatus = result !== pod || context.facts.status.present || input.observe;
  if (hasStatus) {
    result = withStatus(result, context, { policies: input.policies, notices, wrote, observed: input.observe });
    whys.push(() => [["/metadata/annotations/gracegate.dev~1status", { tag: "status" }]]);
  }
  return { pod: result, notices, changedBy, whys: () => whys.flatMap((some) => some()) };
}
