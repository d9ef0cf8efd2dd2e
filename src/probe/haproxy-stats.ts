/**
 * What HAProxy did behind its answers during the run: the difference of its own counters.
 *
 * A balancer with `retries` turns a reset of a backend into a 200 that was only late. Clients cannot see that; the
 * counters can. Source of the names: HAProxy's management guide, section 9.1 (statistics, CSV format).
 */
import { get } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

/** The counters that tell of lost or repeated work. */
export const counters = ["wretr", "wredis", "econ", "eresp", "cli_abrt", "srv_abrt"] as const;

/** One of the counters. */
export type Counter = (typeof counters)[number];

/** What each counter means, as tables show it. */
export const counterLabels: Readonly<Record<Counter, string>> = {
  wretr: "retries",
  wredis: "redispatched",
  econ: "connect errors",
  eresp: "response errors",
  cli_abrt: "aborted by client",
  srv_abrt: "aborted by server",
};

/** The counters of one server, or of a whole backend (`server` is then `BACKEND`). */
export interface HaproxyRow {
  readonly backend: string;
  readonly server: string;
  readonly counters: Readonly<Record<Counter, number>>;
}

/**
 * Reads the counters.
 *
 * @param source an http URL that ends in `;csv`, or the path of the stats socket
 * @throws an Error with one sentence when the source does not answer with HAProxy's CSV
 */
export async function readHaproxyStats(source: string, signal: AbortSignal): Promise<readonly HaproxyRow[]> {
  let csv: string;
  try {
    csv = await (source.startsWith("http://") ? overHttp(source, signal) : overSocket(source, signal));
  } catch (error) {
    throw new Error(`--haproxy-stats ${source}: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const rows = parseHaproxyCsv(csv);
  if (rows.length === 0) {
    throw new Error(`--haproxy-stats ${source}: the answer is not HAProxy's CSV; the URL should end in ;csv.`);
  }
  return rows;
}

/** Reads HAProxy's CSV: one row per server and backend; columns are found by name, since versions add some. */
export function parseHaproxyCsv(csv: string): readonly HaproxyRow[] {
  const [head, ...lines] = csv.split("\n").map((line) => line.trim());
  const names = head?.replace(/^# /, "").split(",") ?? [];
  if (names[0] !== "pxname" || names[1] !== "svname") return [];
  return lines.flatMap((line) => {
    const fields = line.split(",");
    const [backend, server] = fields;
    if (backend === undefined || server === undefined || server === "FRONTEND") return [];
    const value = (name: Counter) => Number(fields[names.indexOf(name)] || 0);
    return [{ backend, server, counters: each(value) }];
  });
}

/** What was added between two readings; rows in which nothing was are left out. A restart counts from 0 again. */
export function haproxyDifference(before: readonly HaproxyRow[], after: readonly HaproxyRow[]): readonly HaproxyRow[] {
  return after.flatMap((row) => {
    const earlier = before.find(({ backend, server }) => backend === row.backend && server === row.server);
    const added = each((name) => {
      const difference = row.counters[name] - (earlier?.counters[name] ?? 0);
      return difference < 0 ? row.counters[name] : difference;
    });
    return Object.values(added).some((count) => count > 0) ? [{ ...row, counters: added }] : [];
  });
}

const PATIENCE_MS = 5000;
const SILENT = "it does not answer within 5 s";

function each(value: (name: Counter) => number): Record<Counter, number> {
  return Object.fromEntries(counters.map((name) => [name, value(name)])) as Record<Counter, number>;
}

function overHttp(url: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { signal, agent: false, timeout: PATIENCE_MS }, (response) => {
      if (response.statusCode === 200) {
        text(response).then(resolve, reject);
        return;
      }
      response.resume();
      reject(new Error(`it answers ${response.statusCode}`));
    });
    request.on("timeout", () => request.destroy(new Error(SILENT)));
    request.on("error", reject);
  });
}

async function overSocket(path: string, signal: AbortSignal): Promise<string> {
  const socket = connect({ path, signal });
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error(SILENT)));
  socket.end("show stat\n");
  return text(socket);
}
