/**
 * A sidecar pod's termination in time: the proxy must outlive the application, and the application what it still answers.
 */

import { AGENT_TICK } from "../../budget/budget.ts";
import type { AppStop } from "../../budget/sidecar.ts";
import { type Milliseconds, ms } from "../../units/milliseconds.ts";
import {
  death,
  ENDPOINTS_LAG,
  endless,
  event,
  killed,
  type Lane,
  type Mark,
  nameOf,
  type Span,
  said,
  span,
  type Termination,
  type Timeline,
  timelineOf,
} from "./timeline.ts";

/** What a sidecar's timeline depends on. */
export interface SidecarTermination extends Termination {
  /** In initContainers: the kubelet stops it after the application. */
  readonly native: boolean;
  /** preStop hooks; 0 for none. */
  readonly appStops: readonly AppStop[];
}

/** What a pod's own terminationDrainDuration leaves for requests after the application's preStop. */
export function drainAfter(appStop: Milliseconds, terminationDrain: Milliseconds): Milliseconds {
  return ms(Math.max(0, terminationDrain - appStop));
}

const SIDECAR: readonly Lane[] = ["kubelet", "application", "endpoints", "istio-proxy", "requests"];

/** Draws up the timeline of a pod with a sidecar. */
export function sidecarTimeline(pod: SidecarTermination): Timeline {
  const { gracePeriod: grace, longest } = pod;
  const wanted = pod.appStops.reduce((most, { length }) => Math.max(most, length), 0);
  const appStop = Math.min(wanted, grace);
  const isUnread = pod.appStops.some((stop) => stop.isUnread);
  // What arrives until the application's SIGTERM is answered after it.
  const answered = appStop + longest;
  const appGone = Math.min(answered, grace);
  const sigterm = pod.native ? appGone : pod.hook.kind === "held" ? 0 : Math.min(pod.hook.length, grace);
  const gone = Math.min(goneAt(pod, sigterm, answered), grace);
  const spans: Span[] = [
    span("kubelet", 0, pod.native ? 0 : sigterm, `preStop: ${nameOf(pod.hook)}`, "waiting"),
    ...(isUnread
      ? [span("application", 0, grace, "preStop of unknown length", "waiting")]
      : [
          span("application", 0, appStop, "preStop", "waiting"),
          span("application", appStop, appGone, "answers what it has", "draining"),
        ]),
    span("endpoints", 0, Math.min(ENDPOINTS_LAG, grace), "", "draining"),
    span("istio-proxy", 0, sigterm, "serves", "serving"),
    span("istio-proxy", sigterm, gone, pod.native ? "Istio's own drain" : "drains", "closing"),
  ];
  const marks: Mark[] = [
    event(
      "kubelet",
      0,
      pod.native ? "deleted: the application first, the native sidecar after it" : "deleted: all containers at once",
    ),
    event(
      "application",
      appStop,
      isUnread
        ? `SIGTERM at the earliest: how long its preStop takes cannot be read, and ${said(appStop)} are counted`
        : appStop > 0
          ? "SIGTERM, after its preStop"
          : "SIGTERM",
    ),
    event("endpoints", Math.min(ENDPOINTS_LAG, grace), "clients have dropped the endpoint"),
    event("istio-proxy", sigterm, "SIGTERM"),
    event("istio-proxy", gone, "the proxy exits"),
  ];
  return finish(pod, spans, marks, { sigterm, gone, answered, appStop, wanted });
}

function goneAt(pod: SidecarTermination, sigterm: number, answered: number): number {
  if (pod.native) return Math.max(sigterm, answered) + AGENT_TICK;
  if (!pod.exitOnZero) return sigterm + pod.terminationDrain;
  return Math.max(sigterm + pod.minimumDrain + AGENT_TICK, answered);
}

interface Ends {
  readonly sigterm: number;
  readonly gone: number;
  readonly answered: number;
  readonly appStop: number;
  /** The application's preStop as long as it is, beyond the grace period too. */
  readonly wanted: number;
}

function finish(pod: SidecarTermination, spans: readonly Span[], marks: readonly Mark[], ends: Ends): Timeline {
  const { gracePeriod: grace, longest } = pod;
  const { sigterm, gone, answered, appStop, wanted } = ends;
  const deaths: Mark[] = [];
  const isKilled = gone >= grace;
  if (gone < answered) {
    const what = gone < appStop ? "while the application's preStop still runs" : "before the application has answered";
    deaths.push(isKilled ? killed(gone, what) : death(gone, `the proxy exits ${what}`));
  }
  if (gone < grace && wanted > grace) {
    deaths.push(killed(grace, "while the application's preStop still runs"));
  }
  const stops = sigterm + pod.drainDuration;
  if (!pod.native && stops < Math.min(gone, answered)) {
    deaths.push(death(stops, `Envoy closes its listeners ${said(pod.drainDuration)} after SIGTERM`));
  }
  const first = Math.min(...deaths.map(({ at }) => at), answered);
  return timelineOf(
    "sidecar",
    grace,
    SIDECAR,
    [
      ...spans,
      span("requests", first > appStop ? appStop : 0, first, `the longest request: ${said(longest)}`, "serving"),
      span("requests", first, answered, "cut off", "lost"),
    ],
    [
      ...marks,
      ...(deaths.length === 0 ? [event("requests", answered, "the longest request has its answer")] : deaths),
      ...(pod.exitOnZero && !pod.native ? [endless(pod, sigterm, gone)] : []),
      event("kubelet", grace, "SIGKILL to whatever is left"),
    ],
  );
}
