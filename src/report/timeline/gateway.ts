/**
 * A gateway's termination in time.
 *
 * With hc the order is: everything flows out, the balancer is told, it has time to notice, and only then the proxy gets
 * its SIGTERM. Without it the balancer asks the proxy's own readiness port, which turns red with SIGTERM.
 */

import { AFTER_MINIMUM, AGENT_TICK } from "../../budget/budget.ts";
import type { Milliseconds } from "../../units/milliseconds.ts";
import {
  death,
  ENDPOINTS_LAG,
  endless,
  event,
  killed,
  LAST_CHANCE,
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

/** What a gateway's timeline depends on. */
export interface GatewayTermination extends Termination {
  /** hc's numbers; undefined where the pod has no hc. */
  readonly hc: { readonly drainTimeout: Milliseconds; readonly lbBuffer: Milliseconds } | undefined;
  readonly checkInterval: Milliseconds;
  readonly checkFall: number;
  /** When the balancer sees the drain answer; undefined where it has none. */
  readonly detection: Milliseconds | undefined;
  /** Whether it cuts what is in flight when it marks a backend DOWN. */
  readonly killsSessions: boolean;
}

/** Draws up the timeline of a gateway. */
export function gatewayTimeline(pod: GatewayTermination): Timeline {
  return pod.hc === undefined ? withoutHc(pod) : withHc(pod, pod.hc);
}

function withHc(
  pod: GatewayTermination,
  hc: { readonly drainTimeout: Milliseconds; readonly lbBuffer: Milliseconds },
): Timeline {
  const { gracePeriod: grace, longest } = pod;
  // After its timeout hc waits on, as long as the deadline leaves time for the rest.
  const lastQuiet = Math.max(hc.drainTimeout, grace - LAST_CHANCE - hc.lbBuffer - pod.minimumDrain - AFTER_MINIMUM);
  const quiet = Math.min(longest, lastQuiet, grace);
  const closed = Math.min(quiet + hc.lbBuffer, grace);
  const held = pod.hook.kind === "held" ? closed : Math.min(pod.hook.length, grace);
  const down = Math.min(quiet + pod.checkInterval * pod.checkFall, grace);
  const proxyGone = goneAt(pod, held, true);
  const isOut = pod.detection !== undefined && pod.detection < quiet;
  const noNew = Math.min(pod.detection ?? 0, quiet);
  const spans: Span[] = [
    span("kubelet", 0, held, `preStop: ${nameOf(pod.hook)}`, "waiting"),
    span("hc", 0, Math.min(quiet, hc.drainTimeout), "DRAINING", "draining"),
    span("hc", hc.drainTimeout, quiet, "FAULT", "draining"),
    span("hc", quiet, closed, "CLOSING", "closing"),
    span("hc", closed, Math.min(proxyGone + LAST_CHANCE, grace), "CLOSED", "waiting"),
    ...(isOut
      ? [span("balancer", 0, noNew, "UP", "serving"), span("balancer", noNew, down, "no new requests", "draining")]
      : [span("balancer", 0, down, "UP", "serving")]),
    span("balancer", down, grace, "DOWN", "down"),
    span("endpoints", 0, Math.min(closed + ENDPOINTS_LAG, grace), "terminating, still served", "draining"),
    span("istio-proxy", 0, held, "serves", "serving"),
    span("istio-proxy", held, proxyGone, "drains", "closing"),
  ];
  const marks: Mark[] = [
    event("kubelet", 0, "deleted: preStop of istio-proxy, SIGTERM to hc, endpoints marked terminating"),
    event("hc", 0, "DRAINING: connections are retired, new ones still served"),
    ...(isOut ? [event("balancer", noNew, "sees the drain answer: no new requests, old ones stay")] : []),
    event("hc", quiet, `CLOSING: nothing in flight, 503 to the balancer`),
    event("balancer", down, "DOWN, with nothing left to cut"),
    event("hc", closed, pod.hook.kind === "held" ? "CLOSED: the held preStop returns" : "CLOSED"),
    event("istio-proxy", held, "SIGTERM"),
    event("endpoints", Math.min(closed + ENDPOINTS_LAG, grace), "not Ready any more: no new connections"),
    event("istio-proxy", proxyGone, "the proxy exits, then hc"),
  ];
  return finish(pod, GATEWAY_HC, spans, marks, {
    sigterm: held,
    gone: proxyGone,
    down,
    lastNew: isOut ? noNew : down,
    isToldEarly: quiet < longest,
  });
}

function withoutHc(pod: GatewayTermination): Timeline {
  const { gracePeriod: grace } = pod;
  const sigterm = pod.hook.kind === "held" ? 0 : Math.min(pod.hook.length, grace);
  const gone = goneAt(pod, sigterm, false);
  const down = Math.min(sigterm + pod.checkInterval * pod.checkFall, grace);
  const spans: Span[] = [
    span("kubelet", 0, sigterm, `preStop: ${nameOf(pod.hook)}`, "waiting"),
    span("balancer", 0, down, "UP", "serving"),
    span("balancer", down, grace, "DOWN", "down"),
    span("endpoints", 0, gone, "terminating", "draining"),
    span("istio-proxy", 0, sigterm, "serves", "serving"),
    span("istio-proxy", sigterm, gone, "drains", "closing"),
  ];
  const marks: Mark[] = [
    event("kubelet", 0, sigterm > 0 ? "deleted: preStop of istio-proxy" : "deleted: SIGTERM to istio-proxy at once"),
    ...(sigterm > 0 ? [event("istio-proxy", sigterm, "SIGTERM")] : []),
    event("balancer", sigterm, "the readiness port answers 503 from here on"),
    event("balancer", down, "DOWN"),
    event("istio-proxy", gone, "the proxy exits"),
  ];
  return finish(pod, GATEWAY, spans, marks, { sigterm, gone, down, lastNew: down, isToldEarly: true });
}

const GATEWAY: readonly Lane[] = ["kubelet", "balancer", "endpoints", "istio-proxy", "requests"];
const GATEWAY_HC: readonly Lane[] = ["kubelet", "hc", "balancer", "endpoints", "istio-proxy", "requests"];

/** When the proxy is gone: with EXIT_ON_ZERO with its last request, else after its drain; never after SIGKILL. */
function goneAt(pod: GatewayTermination, sigterm: number, isQuiet: boolean): number {
  const drained = pod.exitOnZero
    ? Math.max(sigterm + pod.minimumDrain + AGENT_TICK, isQuiet ? 0 : pod.longest)
    : sigterm + pod.terminationDrain;
  return Math.min(drained, pod.gracePeriod);
}

interface Ends {
  readonly sigterm: number;
  readonly gone: number;
  readonly down: number;
  /** Until then the balancer sends new requests. */
  readonly lastNew: number;
  /** The balancer hears of it while requests are in flight. */
  readonly isToldEarly: boolean;
}

/** The longest request, and where it and others die. */
function finish(
  pod: GatewayTermination,
  lanes: readonly Lane[],
  spans: readonly Span[],
  marks: readonly Mark[],
  { sigterm, gone, down, lastNew, isToldEarly }: Ends,
): Timeline {
  const { longest, gracePeriod: grace } = pod;
  const deaths: Mark[] = [];
  if (isToldEarly && pod.killsSessions && down < Math.min(longest, gone)) {
    deaths.push(death(down, "the balancer marks the backend DOWN and cuts what is in flight"));
  }
  const left =
    pod.exitOnZero || gone >= grace ? undefined : `the proxy exits after its drain of ${said(pod.terminationDrain)}`;
  if (gone < longest) {
    deaths.push(gone >= grace ? killed(grace) : death(gone, `${left ?? "the proxy exits"} with requests in flight`));
  } else if (grace < longest) deaths.push(killed(grace));
  if (gone < lastNew)
    deaths.push(death(gone, `new requests are refused until the balancer has it DOWN at ${said(down)}`));
  const stops = sigterm + pod.drainDuration;
  if (stops < Math.min(gone, lastNew))
    deaths.push(
      death(
        stops,
        `Envoy stops accepting ${said(pod.drainDuration)} after SIGTERM; the balancer has it UP until ${said(down)}`,
      ),
    );
  const end = Math.min(longest, deaths[0]?.at ?? longest);
  return timelineOf(
    "gateway",
    grace,
    lanes,
    [
      ...spans,
      span("requests", 0, end, `the longest request: ${said(longest)}`, "serving"),
      span("requests", end, longest, "cut off", "lost"),
    ],
    [
      ...marks,
      ...(deaths.length === 0 ? [event("requests", longest, "the longest request has its answer")] : deaths),
      ...(pod.hc === undefined && pod.exitOnZero ? [endless(pod, sigterm, gone)] : []),
      event("kubelet", grace, "SIGKILL to whatever is left"),
    ],
  );
}
