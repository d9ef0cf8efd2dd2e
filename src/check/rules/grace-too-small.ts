import { written } from "../../budget/formula.ts";
import { valueIn, withValue } from "../../manifests/workload.ts";
import type { JsonObject } from "../../pod/json.ts";
import { ownDrain, presentTimeline } from "../../report/explain/read-termination.ts";
import { deathsOf } from "../../report/timeline/timeline.ts";
import { formatDuration, inSeconds, seconds } from "../../units/milliseconds.ts";
import { application, gateway } from "../example-manifests.ts";
import type { Finding, Rule } from "../rule.ts";

/** The pod's own hooks and drains need more than its grace period. */
export const graceTooSmall: Rule = {
  id: "grace-too-small",
  severity: "error",
  title: "The grace period ends before the pod's own hooks and drain do.",
  reason:
    "At the end of terminationGracePeriodSeconds the kubelet kills whatever is left, in the middle of requests. The default is 30 s, whatever the hooks and Istio's drain durations say.",
  fix: "raise terminationGracePeriodSeconds to what the budget needs; gracegate explain shows it",
  examples: {
    bad: [
      application({ container: ['lifecycle: { preStop: { exec: { command: [sleep, "40"] } } }'] }),
      application({ annotations: ["proxy.istio.io/config: |", "  terminationDrainDuration: 40s"] }),
      gateway({
        container: ["imagePullPolicy: IfNotPresent", 'lifecycle: { preStop: { exec: { command: [sleep, "60"] } } }'],
      }),
    ],
    good: [
      application({ container: ["lifecycle: { preStop: { sleep: { seconds: 10 } } }"] }),
      application({
        annotations: ["proxy.istio.io/config: |", "  terminationDrainDuration: 40s"],
        pod: ["terminationGracePeriodSeconds: 45"],
      }),
      gateway(),
    ],
  },
  *check({ workloads, options }): Iterable<Finding> {
    for (const item of workloads) {
      const { context } = item;
      if (context === undefined) continue;
      const { budget, facts } = context;
      const grace = budget.gracePeriod.value;
      // Only what the pod itself says counts here: a policy's wishes are met when the pod is created.
      const timeline = presentTimeline(item.pod, context, options.snapshot.meshConfig, ownDrain(context));
      const dies = deathsOf(timeline).some(({ isKilled }) => isKilled);
      if (!dies && seconds(facts.proxy?.preStop?.seconds ?? 0) < facts.gracePeriod) continue;
      const at = [...item.podAt, "spec", "terminationGracePeriodSeconds"];
      yield {
        item,
        at: valueIn(item.object, at) === undefined ? [...item.podAt, "spec"] : at,
        message: `the grace period is ${formatDuration(facts.gracePeriod)}, but the pod needs ${written(budget.formula)}.`,
        ...(grace > facts.gracePeriod
          ? { repair: (object) => withValue(object, at, inSeconds(grace)) as JsonObject }
          : {}),
      };
    }
  },
};
