/**
 * The table: phase × event → phase and actions. It knows no clock; due.ts decides when a time has come.
 *
 * The order is the mechanism: first let everything flow out, then say 503. A load balancer that flushes sessions on DOWN
 * resets every request that is in flight at that moment.
 */
import type { DrainResult, EventName, Phase } from "./states.ts";

/**
 * What the loop does with a transition.
 *
 * - `retire`: Envoy answers with Connection: close and GOAWAY from now on, if retireConnections is set
 * - `restore`: Envoy keeps connections again
 * - `answer-held`: the `/drained` requests that wait are answered, and the proxy stops
 */
export type Action = "retire" | "restore" | "answer-held";

/** What an event does in a phase. */
export type Cell =
  | {
      readonly to: Phase;
      readonly actions: readonly Action[];
      /** How the drain under way ended, where this ends one. */
      readonly result?: DrainResult;
      /** An operator's wish that a pod which is being stopped cannot grant: 409 then, with the sentence. */
      readonly notWhenStopping?: string;
    }
  | { readonly refused: string };

/** Where an event leads from a phase; an event without a cell changes nothing there. */
export type Table = Readonly<Record<Phase, Readonly<Partial<Record<EventName, Cell>>>>>;

const NOT_READY = "the proxy was never ready, so hc is CLOSED and opens by itself when it is";
const STOPPING = "the pod or its proxy is stopping, so there is no way back; a new pod opens by itself";
const AFTER_DRAIN = "the drain is over and the proxy was told to stop; restart the proxy's container or the pod";

const open = (result?: DrainResult): Cell => ({
  to: "open",
  actions: ["restore"],
  ...(result === undefined ? {} : { result }),
});
const reopen = (result?: DrainResult): Cell => ({ ...open(result), notWhenStopping: STOPPING });
const drain: Cell = { to: "draining", actions: ["retire"] };
const closing = (result?: DrainResult): Cell => ({
  to: "closing",
  actions: ["retire"],
  ...(result === undefined ? {} : { result }),
});
const closed = (result?: DrainResult): Cell => ({
  to: "closed",
  actions: ["retire", "answer-held"],
  ...(result === undefined ? {} : { result }),
});

/** All transitions. */
export const table: Table = {
  starting: {
    "proxy-ready": open(),
    // Nobody was sent here yet; the answer must not turn from 503 to 200 for a pod that leaves.
    sigterm: closed(),
    drain: { refused: NOT_READY },
    "close-lb": { refused: NOT_READY },
    close: { refused: NOT_READY },
    reopen: { refused: NOT_READY },
  },
  open: {
    sigterm: drain,
    drain,
    "proxy-stopping": drain,
    "proxy-dead": { to: "dead", actions: [] },
    "close-lb": closing(),
    close: closed(),
  },
  draining: {
    quiet: closing("drained"),
    busy: closing("busy"),
    blind: closing("blind"),
    "drain-timeout": { to: "overdue", actions: [], result: "timeout" },
    // Without a proxy nothing is left to wait for, and new connections would be refused.
    "proxy-gone": closing("drained"),
    "proxy-dead": closing("closed"),
    "close-lb": closing("closed"),
    close: closed("closed"),
    reopen: reopen("reopened"),
    "proxy-restarted": open("reopened"),
  },
  overdue: {
    quiet: closing(),
    "time-is-up": closing(),
    "proxy-gone": closing(),
    "proxy-dead": closing(),
    "close-lb": closing(),
    close: closed(),
    reopen: reopen(),
    "proxy-restarted": open(),
  },
  dead: {
    "proxy-ready": open(),
    // The load balancer has the close answer already, and gets its time to have seen it.
    sigterm: closing(),
    drain: closing(),
    "close-lb": closing(),
    close: closed(),
    reopen: reopen(),
  },
  closing: {
    "buffer-passed": closed(),
    close: closed(),
    reopen: reopen(),
    "proxy-restarted": open(),
  },
  closed: {
    reopen: { refused: AFTER_DRAIN },
    "proxy-restarted": open(),
  },
};

/** Every pair of phases and the event between them, for metrics that exist from the start and for the documentation. */
export const transitions: readonly { from: Phase; event: EventName; to: Phase }[] = Object.entries(table).flatMap(
  ([from, row]) =>
    Object.entries(row).flatMap(([event, cell]) =>
      "to" in cell ? [{ from: from as Phase, event: event as EventName, to: cell.to }] : [],
    ),
);
