/**
 * A gateway pod without a kubelet: Istio's real pilot-agent with a real Envoy under it, and hc beside it, each on ports of
 * its own on loopback. What the kubelet would do is done here: the preStop hook, the signals, the end of the grace period.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Status } from "../../../src/hc/status.ts";
import { ask, freePort, until } from "../../integration/hc-process.ts";
import { bootstrapFrom, clusters, listeners } from "./envoy-config.ts";

/** What a gateway runs, and towards what. */
export interface GatewayOptions {
  readonly agent: string;
  readonly envoy: string;
  readonly upstreamPort: number;
  readonly upstreamTcpPort: number;
  /** hc's environment, besides the ports. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the proxy's stats matcher shows besides Istio's own; hc's needs unless set. */
  readonly inclusionSuffixes?: readonly string[];
  /** Instead of hc, something else that answers the load balancer. */
  readonly withoutHc?: boolean;
}

/** What hc needs to see (SPEC 7.1). */
const SUFFIXES = ["downstream_rq_active", "downstream_rq_total", "upstream_rq_active", "downstream_cx_active"];

/** The ports of a gateway. */
export interface GatewayPorts {
  readonly http: number;
  readonly tcp: number;
  readonly health: number;
  readonly control: number;
  readonly metrics: number;
  readonly admin: number;
  readonly agent: number;
  readonly ready: number;
  readonly prometheus: number;
}

/** A gateway at work. */
export class Gateway {
  readonly ports: GatewayPorts;
  readonly #options: GatewayOptions;
  readonly #folder: string;
  #agent: ChildProcess | undefined;
  #hc: ChildProcess | undefined;
  #agentExit: Promise<number | null> = Promise.resolve(null);
  #hcExit: Promise<number | null> = Promise.resolve(null);
  /** The logs, for a test that failed. */
  hcLog = "";
  agentLog = "";

  private constructor(options: GatewayOptions, ports: GatewayPorts) {
    this.ports = ports;
    this.#options = options;
    this.#folder = mkdtempSync(join(tmpdir(), "gracegate-gateway-"));
  }

  /** Chooses ports and starts everything; ready when the load balancer would be told 200. */
  static async start(options: GatewayOptions): Promise<Gateway> {
    const gateway = new Gateway(options, {
      http: await freePort(),
      tcp: await freePort(),
      health: await freePort(),
      control: await freePort(),
      metrics: await freePort(),
      admin: await freePort(),
      agent: await freePort(),
      ready: await freePort(),
      prometheus: await freePort(),
    });
    try {
      await gateway.restart();
      return gateway;
    } catch (error) {
      await gateway.cleanUp();
      throw error;
    }
  }

  /** Starts both processes on the same ports: the pod that replaces a deleted one. */
  async restart(): Promise<void> {
    this.startProxy();
    if (this.#options.withoutHc !== true) this.startHc();
    await until(
      "the proxy is ready",
      async () => (await this.proxyReady()) === 200,
      () => this.agentLog.slice(-3000),
    );
    if (this.#options.withoutHc !== true) await this.reaches("OPEN");
  }

  startProxy(): void {
    const { agent, envoy, inclusionSuffixes = SUFFIXES } = this.#options;
    const { http, tcp, admin, ready, prometheus } = this.ports;
    const folder = this.#folder;
    for (const needed of [
      "etc/proxy",
      "var/lib/istio/envoy",
      "var/lib/istio/data",
      "var/run/secrets/workload-spiffe-uds",
    ]) {
      mkdirSync(join(folder, needed), { recursive: true });
    }
    const { upstreamPort, upstreamTcpPort } = this.#options;
    const routes = { httpPort: http, tcpPort: tcp, upstreamPort, upstreamTcpPort };
    writeFileSync(join(folder, "lds.json"), JSON.stringify(listeners(routes)));
    writeFileSync(join(folder, "cds.json"), JSON.stringify(clusters(routes)));
    const template = readFileSync(join(dirname(agent), "envoy_bootstrap.json"), "utf8");
    writeFileSync(join(folder, "var/lib/istio/envoy/envoy_bootstrap_tmpl.json"), bootstrapFrom(template, folder));
    const config = {
      binaryPath: envoy,
      configPath: join(folder, "etc/proxy"),
      discoveryAddress: "127.0.0.1:9",
      controlPlaneAuthPolicy: "NONE",
      proxyAdminPort: admin,
      statusPort: this.ports.agent,
      proxyStatsMatcher: { inclusionSuffixes },
    };
    const child = spawn(agent, ["proxy", "router", "--concurrency", "1"], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        POD_NAME: "gateway-0",
        POD_NAMESPACE: "default",
        INSTANCE_IP: "127.0.0.1",
        FILE_MOUNTED_CERTS: "true",
        GRPC_XDS_BOOTSTRAP: "",
        ISTIO_META_CLUSTER_ID: "Kubernetes",
        EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true",
        MINIMUM_DRAIN_DURATION: "2s",
        ENVOY_STATUS_PORT: String(ready),
        ENVOY_PROMETHEUS_PORT: String(prometheus),
        PROXY_CONFIG: JSON.stringify(config),
      },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that the end of the container takes Envoy with it.
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk) => {
        this.agentLog += chunk;
      });
    }
    this.#agent = child;
    this.#agentExit = new Promise((resolve) => child.once("exit", resolve));
  }

  startHc(): void {
    const { ports } = this;
    const child = spawn(process.execPath, ["--max-semi-space-size=1", "dist/hc.js"], {
      env: {
        PATH: process.env.PATH,
        LB_BUFFER: "3",
        DRAIN_TIMEOUT: "30",
        GRACE_PERIOD: "60",
        MINIMUM_DRAIN_DURATION: "2",
        POLL_INTERVAL: "500ms",
        LB_DETECTION: "1",
        ...this.#options.env,
        HEALTH_PORT: String(ports.health),
        CONTROL_PORT: String(ports.control),
        METRICS_PORT: String(ports.metrics),
        ENVOY_ADMIN_PORT: String(ports.admin),
        AGENT_STATUS_PORT: String(ports.agent),
        PROXY_READY_PORT: String(ports.ready),
        TERMINATION_MESSAGE: join(this.#folder, "termination-log"),
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout?.on("data", (chunk) => {
      this.hcLog += chunk;
    });
    this.#hc = child;
    this.#hcExit = new Promise((resolve) => child.once("exit", resolve));
  }

  /**
   * Deletes the pod as the kubelet does: hook and SIGTERM at the same moment, in the order that is asked for; SIGTERM to
   * the proxy once its hook is answered; SIGKILL at the end of the grace period.
   *
   * @returns how the containers ended, and after how many seconds
   */
  async delete(first: "hook" | "signal" = "hook", gracePeriod = 60): Promise<Deletion> {
    const started = performance.now();
    const since = () => (performance.now() - started) / 1000;
    let killed = false;
    const grace = setTimeout(() => {
      killed = true;
      this.kill();
    }, gracePeriod * 1000);
    if (first === "signal") this.#hc?.kill("SIGTERM");
    const hook = ask(this.ports.health, "/drained", "GET").catch(() => undefined);
    if (first === "hook") setTimeout(() => this.#hc?.kill("SIGTERM"), 20);
    await hook;
    const held = since();
    this.signalAgent("SIGTERM");
    const agent = await this.#agentExit;
    const proxyEnded = since();
    const hc = await this.#hcExit;
    clearTimeout(grace);
    return { held, proxyEnded, hcEnded: since(), exitCodes: [agent, hc], killed };
  }

  get agentPid(): number {
    return this.#agent?.pid ?? 0;
  }

  signalAgent(signal: NodeJS.Signals): void {
    this.#agent?.kill(signal);
  }

  signalHc(signal: NodeJS.Signals): void {
    this.#hc?.kill(signal);
  }

  /** Waits for the proxy's end. */
  get agentExit(): Promise<number | null> {
    return this.#agentExit;
  }

  get hcExit(): Promise<number | null> {
    return this.#hcExit;
  }

  /** The end of both containers, at once. */
  kill(): void {
    const pid = this.#agent?.pid;
    if (pid !== undefined && this.#agent?.exitCode === null && this.#agent.signalCode === null) {
      // The negative number is the group that `detached` made: the agent and its Envoy.
      process.kill(-pid, "SIGKILL");
    }
    this.#hc?.kill("SIGKILL");
  }

  /** Ends what is left, and removes the files. */
  async cleanUp(): Promise<void> {
    this.kill();
    await Promise.all([this.#agentExit, this.#hcExit]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async proxyReady(): Promise<number | undefined> {
    return (await ask(this.ports.ready, "/healthz/ready", "GET").catch(() => undefined))?.status;
  }

  async status(): Promise<Status> {
    return JSON.parse((await ask(this.ports.control, "/status", "GET")).body);
  }

  async reaches(state: string): Promise<void> {
    const isThere = async () => (await this.status().catch(() => undefined))?.state === state;
    await until(`state ${state}`, isThere, () => `${this.hcLog}\n${this.agentLog.slice(-2000)}`);
  }

  /** The transitions so far. */
  get path(): readonly string[] {
    return [...this.hcLog.matchAll(/event=transition from=\S+ to=(\S+) cause=(\S+)/g)].map(
      ([, to, cause]) => `${to} ${cause}`,
    );
  }

  /** The JSON of the termination message. */
  get message(): Record<string, unknown> {
    return JSON.parse(readFileSync(join(this.#folder, "termination-log"), "utf8"));
  }
}

/** How a pod ended; times in seconds after its deletion. */
export interface Deletion {
  /** When the hook was answered. */
  readonly held: number;
  readonly proxyEnded: number;
  readonly hcEnded: number;
  /** Of the agent and of hc. */
  readonly exitCodes: readonly (number | null)[];
  /** Whether the grace period ran out. */
  readonly killed: boolean;
}
