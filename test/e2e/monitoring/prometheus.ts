/**
 * A real Prometheus for tests: it scrapes and evaluates every second, and is asked as Grafana asks it.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort, until } from "../../integration/hc-process.ts";

/** Something to scrape, with the labels that the Prometheus operator would give it. */
export interface Target {
  readonly job: string;
  readonly address: string;
  readonly path?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The target's own labels win: kube-state-metrics speaks of other pods than its own. */
  readonly honorLabels?: boolean;
  /** HTTPS with a bearer token and an authority. */
  readonly secure?: { readonly token: string; readonly ca: string };
}

/** One series of an answer, with its samples: seconds since 1970, and the value. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: readonly (readonly [number, number])[];
}

/** A running Prometheus. */
export interface Prometheus {
  /** Asks for one moment; now unless set. */
  query(expr: string, at?: number): Promise<readonly Series[]>;
  /** Asks for a range in steps of a second. */
  queryRange(expr: string, from: number, to: number): Promise<readonly Series[]>;
  /** Waits until an alert with these labels has a state. */
  alert(name: string, state: "pending" | "firing", labels?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts it.
 *
 * @param rules files of rules
 */
export async function startPrometheus(
  binary: string,
  targets: readonly Target[],
  rules: readonly string[],
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "gracegate-prometheus-"));
  const port = await freePort();
  const config = {
    global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
    rule_files: rules.map((file) => resolve(file)),
    scrape_configs: targets.map(
      ({ job, address, path = "/metrics", labels = {}, honorLabels = false, secure }, at) => ({
        job_name: `${job}-${at}`,
        metrics_path: path,
        honor_labels: honorLabels,
        ...(secure === undefined
          ? {}
          : { scheme: "https", authorization: { credentials: secure.token }, tls_config: { ca_file: secure.ca } }),
        static_configs: [{ targets: [address], labels: { job, ...labels } }],
      }),
    ),
  };
  const file = join(folder, "prometheus.json");
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(config));
  const child = spawn(
    binary,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=warn",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const exited = new Promise((done) => child.once("exit", done));
  const ask = async (path: string, parameters: Readonly<Record<string, string>>): Promise<readonly Series[]> => {
    const body = new URLSearchParams(parameters);
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, { method: "POST", body });
    const { status, error, data } = (await answer.json()) as Answer;
    if (status !== "success") throw new Error(`${parameters.query}: ${error}`);
    return data.result.map(({ metric, value, values }) => ({
      labels: metric,
      samples: (values ?? (value === undefined ? [] : [value])).map(([at, text]) => [at, Number(text)] as const),
    }));
  };
  const query = (expr: string, at?: number) =>
    ask("query", { query: expr, ...(at === undefined ? {} : { time: String(at) }) });
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/-/ready`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until("Prometheus is ready", isReady, () => log);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    query,
    queryRange: (expr, from, to) =>
      ask("query_range", { query: expr, start: String(from), end: String(to), step: "1" }),
    async alert(name, state, labels = {}) {
      const wanted = { alertname: name, alertstate: state, ...labels };
      const matchers = Object.entries(wanted).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
      const end = performance.now() + 90_000;
      while ((await query(`ALERTS{${matchers.join(",")}}`)).length === 0) {
        if (performance.now() > end) throw new Error(`${name} was never ${state}; ${await alertsOf(query)}\n${log}`);
        await new Promise((done) => setTimeout(done, 250));
      }
    },
    stop,
  };
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value?: readonly [number, string];
      readonly values?: readonly (readonly [number, string])[];
    }[];
  };
}

async function alertsOf(query: Prometheus["query"]): Promise<string> {
  const names = (await query("ALERTS")).map(({ labels }) => `${labels.alertname} ${labels.alertstate} ${labels.pod}`);
  return `there are: ${names.join(", ")}`;
}
