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
import type { Stats } from "./stats-text.ts";
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

/** Connection managers of the proxy itself; `secure_` is the agent's own listener of some versions. */
const OWN_MANAGER = /^http\.(admin|agent|stats|secure_.*)\.downstream_/;

/** Connections of Prometheus: their listener is left out where it is Istio's usual one. */
const STATS_MANAGER = "http.stats.downstream_cx_active";

/** The listener that they have unless ENVOY_PROMETHEUS_PORT says another port. */
const STATS_LISTENER = /^listener\..*_15090\.downstream_cx_active$/;

/** Listeners of the proxy itself, and the copies that each worker keeps of a listener's stats. */
const OWN_LISTENER =
  /^listener\.(admin\.(main_thread\.)?|envoy_internal_.*|.*\.worker_[0-9]+\.|.*_15090\.)downstream_cx_active$/;

/**
 * Adds up what is in flight.
 *
 * @param gauges the answer to GAUGES
 * @param readyPort the port of the proxy's readiness check, whose listener is left out
 */
export function inFlightOf(gauges: Stats, readyPort: number, gate: DrainGate): Omit<Reading, "requests"> {
  const ownReady = `_${readyPort}.downstream_cx_active`;
  const above: { stat: string; value: number }[] = [];
  let requests = 0;
  let managed = 0;
  let connections = 0;
  let upstream = 0;
  // With another port their listener looks like one for traffic, but a connection manager owns them all the same.
  if (![...gauges.keys()].some((stat) => STATS_LISTENER.test(stat))) managed += gauges.get(STATS_MANAGER) ?? 0;
  for (const [stat, value] of gauges) {
    if (value === 0 || OWN_MANAGER.test(stat) || OWN_LISTENER.test(stat) || stat.endsWith(ownReady)) continue;
    if (stat.startsWith("listener.")) {
      connections += value;
      continue;
    }
    if (stat.endsWith(".downstream_cx_active")) {
      managed += value;
      continue;
    }
    above.push({ stat, value });
    if (stat.startsWith("cluster.")) upstream += value;
    else requests += value;
  }
  const unmanaged = Math.max(0, connections - managed);
  if (unmanaged > 0) above.push({ stat: "connections without an HTTP connection manager", value: unmanaged });
  return {
    inFlight: requests + unmanaged + (gate === "both" ? upstream : 0),
    hidden: SENTINELS.filter((suffix) => !gauges.has(`http.admin.${suffix}`)),
    waitingOn: above
      .filter(({ stat }) => gate === "both" || !stat.startsWith("cluster."))
      .sort((one, other) => other.value - one.value),
    upstream,
  };
}

/**
 * Adds up the requests that ever came.
 *
 * @param counters the answer to COUNTERS
 * @returns undefined if the counters are hidden
 */
export function requestsOf(counters: Stats): number | undefined {
  if (!counters.has("http.admin.downstream_rq_total")) return undefined;
  let total = 0;
  for (const [stat, value] of counters) if (!OWN_MANAGER.test(stat)) total += value;
  return total;
}
