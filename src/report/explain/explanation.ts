/**
 * What there is to tell about one workload: its start and its termination, as it is and as Gracegate would make it.
 */

import type { InjectedWorkload, InjectOptions } from "../../manifests/inject.ts";
import { surgesOnItsNode } from "../../manifests/workload.ts";
import { recommendations } from "../plan/advice.ts";
import { deathsOf, said, type Timeline } from "../timeline/timeline.ts";
import { plannedTimeline, presentTimeline, unreadStops } from "./read-termination.ts";
import { holdsNow, type Step, startSteps } from "./start.ts";

/** One view of a pod. */
export interface View {
  readonly title: string;
  readonly start: readonly Step[];
  readonly timeline: Timeline;
  /** One sentence: does the longest request survive? */
  readonly verdict: string;
}

/** A workload explained. */
export interface Explanation {
  /** `Deployment shop/web`. */
  readonly name: string;
  readonly role: "gateway" | "sidecar";
  readonly before: View;
  readonly after: View;
  /** What is known to have no end, and what a balancer without a drain answer does. */
  readonly notes: readonly string[];
  /** Best first; only for a gateway whose balancer has no drain answer. */
  readonly recommendations: readonly string[];
}

/** Explains a workload; undefined for one that is left alone. */
export function explain(
  { workload, namespace, outcome }: InjectedWorkload,
  options: InjectOptions,
): Explanation | undefined {
  if (outcome?.plan === undefined) return undefined;
  const { context } = outcome.plan;
  const mesh = options.snapshot.meshConfig;
  const { role, facts } = context;
  const name = `${workload.kind} ${namespace}/${workload.name}`;
  const isGateway = role.kind === "gateway";
  const hasHc = facts.hc !== undefined && !facts.hc.inInitContainers;
  const present = presentTimeline(workload.pod, context, mesh);
  const planned = plannedTimeline(context, mesh);
  // Where a replacement takes over on the same node, the balancer's answer does not matter in a rollout.
  const isDeaf = isGateway && role.drainAnswer === undefined && !surgesOnItsNode(workload);
  return {
    name,
    role: role.kind,
    before: view(
      "as it is",
      startSteps(context, { holds: holdsNow(context, mesh?.holdApplicationUntilProxyStarts), hc: hasHc }),
      present,
    ),
    after: view(
      "as Gracegate makes it",
      startSteps(context, { holds: role.settings.hold.value, hc: isGateway && role.hc.kind !== "none" }),
      planned,
    ),
    notes: [
      ...unreadStops(context).map(
        (container) =>
          `${container}: how long its preStop takes cannot be read, so it counts as 0s; whatever it takes longer is missing at the end. A plain sleep can be read.`,
      ),
      ...(isGateway
        ? [
            "TLS passthrough, WebSockets and endless streams have no end but their connection's: the drain can run into its timeout.",
          ]
        : []),
      ...(isDeaf
        ? [
            `${role.settings.loadBalancer.profile.value} has no drain answer: new requests keep coming until 503, and under steady load what is in flight when the balancer marks the backend DOWN is lost.`,
          ]
        : []),
    ],
    recommendations: isDeaf ? recommendations : [],
  };
}

function view(title: string, start: readonly Step[], timeline: Timeline): View {
  const [first] = deathsOf(timeline);
  const longest = timeline.spans.find(({ lane }) => lane === "requests")?.label ?? "the longest request";
  const hasEnd = timeline.marks.every(({ kind }) => kind !== "endless");
  const verdict =
    first === undefined
      ? `${longest}; it gets its answer, and ${hasEnd ? "SIGKILL finds nothing" : "only an idle connection may wait for SIGKILL"}`
      : `${longest}; requests die ${said(first.at)} after the deletion`;
  return { title, start, timeline, verdict };
}
