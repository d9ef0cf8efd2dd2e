/**
 * hc as a real process, for tests: started with free ports and short times, ended with its test.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Status } from "../../src/hc/status.ts";

/** Times that make a test quick; the fixed waits of the product (3 s for a death, 5 s for a retirement) stay. */
const QUICK = {
  DRAIN_TIMEOUT: "15",
  LB_BUFFER: "300ms",
  GRACE_PERIOD: "40",
  POLL_INTERVAL: "100ms",
  LB_DETECTION: "200ms",
  MINIMUM_DRAIN_DURATION: "200ms",
  RETIRE_CONNECTIONS: "false",
  LOG_LEVEL: "debug",
};

/** Whoever ends what was started: a test, or a suite. */
export interface Owner {
  after(run: () => unknown): void;
}

/** An answer of hc. */
export interface HcAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingMessage["headers"];
}

/** hc at work. */
export class HcProcess {
  readonly child: ChildProcess;
  readonly ports: { readonly health: number; readonly control: number; readonly metrics: number };
  readonly exited: Promise<number | null>;
  log = "";
  readonly #messageFile: string;

  private constructor(child: ChildProcess, ports: HcProcess["ports"], messageFile: string) {
    this.child = child;
    this.ports = ports;
    this.#messageFile = messageFile;
    child.stdout?.on("data", (chunk) => {
      this.log += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      this.log += chunk;
    });
    this.exited = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  }

  /** Starts it and waits until it answers. */
  static async start(owner: Owner, env: Record<string, string>): Promise<HcProcess> {
    const folder = mkdtempSync(join(tmpdir(), "gracegate-hc-"));
    const [health, control, metrics] = await Promise.all([freePort(), freePort(), freePort()]);
    const messageFile = join(folder, "termination-log");
    const child = spawn(process.execPath, ["src/main.ts", "hc"], {
      env: {
        ...withoutCoverageNoise(process.env),
        ...QUICK,
        HEALTH_PORT: String(health),
        CONTROL_PORT: String(control),
        METRICS_PORT: String(metrics),
        TERMINATION_MESSAGE: messageFile,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const hc = new HcProcess(child, { health, control, metrics }, messageFile);
    owner.after(async () => {
      child.kill("SIGKILL");
      await hc.exited;
      rmSync(folder, { recursive: true, force: true });
    });
    await until("hc answers", async () => (await hc.get("/live").catch(() => undefined))?.status === 200);
    return hc;
  }

  /** Asks the health port. */
  get(path: string, method = "GET", headers: Readonly<Record<string, string>> = {}): Promise<HcAnswer> {
    return ask(this.ports.health, path, method, "127.0.0.1", headers);
  }

  /** What the load balancer is told. */
  async lb(): Promise<number> {
    return (await this.get("/health_check.html")).status;
  }

  /** Asks the control port. */
  post(path: string): Promise<HcAnswer> {
    return ask(this.ports.control, path, "POST");
  }

  async status(): Promise<Status> {
    return JSON.parse((await ask(this.ports.control, "/status", "GET")).body);
  }

  async metrics(): Promise<string> {
    return (await ask(this.ports.metrics, "/metrics", "GET")).body;
  }

  /** Waits for a state. */
  async reaches(state: string): Promise<void> {
    await until(
      `state ${state}`,
      async () => (await this.status()).state === state,
      () => this.log,
    );
  }

  /** The causes of the transitions so far, in order. */
  get path(): readonly string[] {
    return [...this.log.matchAll(/event=transition from=(\S+) to=(\S+) cause=(\S+) inFlight=\S+ elapsed=\S+/g)].map(
      ([, , to, cause]) => `${to} ${cause}`,
    );
  }

  /** The JSON of the termination message. */
  get message(): Record<string, unknown> {
    return existsSync(this.#messageFile) ? JSON.parse(readFileSync(this.#messageFile, "utf8")) : {};
  }
}

/** Waits until something holds; the bound is generous, since the machine is shared. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  more: () => string = () => "",
  patienceMs = 20_000,
): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`never came: ${what}\n${more()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Sends a request on a connection of its own. */
export function ask(
  port: number,
  path: string,
  method: string,
  host = "127.0.0.1",
  headers: Readonly<Record<string, string>> = {},
): Promise<HcAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host, port, path, method, headers, agent: false }, (incoming) => {
      let body = "";
      incoming.setEncoding("utf8").on("data", (chunk) => {
        body += chunk;
      });
      incoming.once("end", () => resolve({ status: incoming.statusCode ?? 0, body, headers: incoming.headers }));
      incoming.once("error", reject);
    });
    outgoing.once("error", reject);
    outgoing.end();
  });
}

/** Below the range that the system takes ports for outgoing connections from, which could take one in between. */
const PORTS = { first: 15_500, count: 17_000 } as const;

const given = new Set<number>();

/** A port that nobody uses at this moment, and that was not given before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "::", () => server.close(() => resolve(true)));
  });
}

/** A test runner's variable would make the child report as a test. */
function withoutCoverageNoise(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...rest } = env;
  return rest;
}
