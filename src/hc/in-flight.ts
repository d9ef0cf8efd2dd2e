/**
 * What is in flight, from Envoy's gauges.
 *
 * In-flight is the active requests of all HTTP connection managers, and the connections that none of them owns: TCP and
 * TLS passthrough. The latter is the difference between what listeners and what connection managers count.
 * Left out is what belongs to the proxy itself: the admin port (which counts the very poll), the agent's health port
 * 15021, Prometheus' 15090, and listeners inside Envoy.
 *
 * Absent is not zero. Istio's stats matcher hides these gauges unless the pod names them, so each suffix has a sentinel:
 * the admin's own stat of that name, which the poll itself makes at least 1.
 */
import type { Reading } from "./view.ts";

/** Which gauges are asked for; anchored, since the walk over all names is what costs Envoy. */
export const GAUGES =
  "^(http\\..*\\.downstream_(rq|cx)_active|listener\\..*\\.downstream_cx_active|cluster\\.(out|in)bound.*\\.upstream_rq_active)$";

/** Which counters are asked for once the gauges say that nothing is in flight. */
export const COUNTERS = "^http\\..*\\.downstream_rq_total$";

/** What gates a drain: what clients have open, or the requests to services of the mesh as well. */
export type DrainGate = "downstream" | "both";

/** The sentinels: if one is missing, the suffix is hidden. */
const SENTINELS = ["downstream_rq_active", "downstream_cx_active"] as const;

/** The admin's own stats. */
const ADMIN = "http.admin.";

/** Connection managers of the proxy itself; `secure_` is the agent's own listener of some versions. */
const OWN_MANAGER = /^http\.(admin|agent|stats|secure_.*)\.downstream_/;

/** Connections of Prometheus: their listener is left out where it is Istio's usual one. */
const STATS_MANAGER = "http.stats.downstream_cx_active";

/** The listener that they have unless ENVOY_PROMETHEUS_PORT says another port. */
const STATS_LISTENER = /^listener\..*_15090\.downstream_cx_active$/;

/** Listeners of the proxy itself, and the copies that each worker keeps of a listener's stats. */
const OWN_LISTENER =
  /^listener\.(admin\.(main_thread\.)?|envoy_internal_.*|.*\.worker_[0-9]+\.|.*_15090\.)downstream_cx_active$/;

/** How many stats are shown that a drain waits for, the biggest first. */
const MOST_SHOWN = 10;

/** Adds up what is in flight, one gauge after the other; what it keeps does not grow with them. */
export class InFlightSum {
  readonly #ownReady: string;
  readonly #gate: DrainGate;
  readonly #seen = new Set<string>();
  readonly #biggest: { readonly stat: string; readonly value: number }[] = [];
  #requests = 0;
  #managed = 0;
  #connections = 0;
  #upstream = 0;
  #ofStatsManager = 0;
  #hasStatsListener = false;

  /** @param readyPort the port of the proxy's readiness check, whose listener is left out */
  constructor(readyPort: number, gate: DrainGate) {
    this.#ownReady = `_${readyPort}.downstream_cx_active`;
    this.#gate = gate;
  }

  /** Adds a gauge of the answer to GAUGES. Hot: once a cluster of the mesh, most of which are idle. */
  add(stat: string, value: number): void {
    if (stat.startsWith("cluster.")) {
      if (value === 0) return;
      this.#upstream += value;
      if (this.#gate === "both") this.#show(stat, value);
      return;
    }
    if (stat.startsWith(ADMIN)) this.#seen.add(stat);
    if (stat === STATS_MANAGER) this.#ofStatsManager = value;
    if (STATS_LISTENER.test(stat)) this.#hasStatsListener = true;
    if (value === 0 || OWN_MANAGER.test(stat) || OWN_LISTENER.test(stat) || stat.endsWith(this.#ownReady)) return;
    if (stat.startsWith("listener.")) this.#connections += value;
    else if (stat.endsWith(".downstream_cx_active")) this.#managed += value;
    else {
      this.#requests += value;
      this.#show(stat, value);
    }
  }

  /** The sum, when the answer has come to its end. */
  total(): Omit<Reading, "requests"> {
    // With another port than 15090 their listener looks like one for traffic, but a connection manager owns them all the same.
    const managed = this.#managed + (this.#hasStatsListener ? 0 : this.#ofStatsManager);
    const unmanaged = Math.max(0, this.#connections - managed);
    if (unmanaged > 0) this.#show("connections without an HTTP connection manager", unmanaged);
    return {
      inFlight: this.#requests + unmanaged + (this.#gate === "both" ? this.#upstream : 0),
      hidden: SENTINELS.filter((suffix) => !this.#seen.has(ADMIN + suffix)),
      waitingOn: [...this.#biggest],
      upstream: this.#upstream,
    };
  }

  #show(stat: string, value: number): void {
    if (this.#biggest.length === MOST_SHOWN && value <= (this.#biggest.at(-1)?.value ?? 0)) return;
    this.#biggest.push({ stat, value });
    this.#biggest.sort((one, other) => other.value - one.value);
    this.#biggest.splice(MOST_SHOWN);
  }
}

/** Adds up the requests that ever came. */
export class RequestSum {
  #total = 0;
  #isShown = false;

  /** Adds a counter of the answer to COUNTERS. */
  add(stat: string, value: number): void {
    if (stat === `${ADMIN}downstream_rq_total`) this.#isShown = true;
    if (!OWN_MANAGER.test(stat)) this.#total += value;
  }

  /** The sum; undefined if the counters are hidden. */
  total(): number | undefined {
    return this.#isShown ? this.#total : undefined;
  }
}
