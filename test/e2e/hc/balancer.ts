/**
 * A real HAProxy in front of gateways: one frontend in mode http, one in mode tcp, each checking hc's port.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, until } from "../../integration/hc-process.ts";
import type { GatewayPorts } from "./gateway.ts";

/** How the balancer treats the health answers. */
export interface BalancerOptions {
  readonly haproxy: string;
  readonly servers: readonly { readonly name: string; readonly ports: GatewayPorts }[];
  /** `http-check disable-on-404`: 404 stops new work and keeps the old. */
  readonly disableOn404: boolean;
  /** `on-marked-down shutdown-sessions`: DOWN cuts what is in flight. */
  readonly killsSessions: boolean;
}

/** A balancer at work. */
export interface Balancer {
  readonly httpPort: number;
  readonly tcpPort: number;
  /** Where HAProxy's own exporter for Prometheus answers, /metrics. */
  readonly metricsPort: number;
  /** The state of a server in both backends, as HAProxy names it. */
  states(name: string): Promise<readonly string[]>;
  /** Waits until a server is UP in both. */
  isUp(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it. */
export async function startBalancer(options: BalancerOptions): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), "gracegate-lb-"));
  const [httpPort, tcpPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const socket = join(folder, "stats.sock");
  const file = join(folder, "haproxy.cfg");
  const frontend = (mode: "http" | "tcp", port: number) => [
    `listen ${mode}`,
    `  mode ${mode}`,
    `  bind 127.0.0.1:${port}`,
    "  option httpchk",
    "  http-check send meth GET uri /health_check.html",
    ...(options.disableOn404 ? ["  http-check disable-on-404"] : []),
    ...options.servers.map(
      ({ name, ports }) =>
        `  server ${name} 127.0.0.1:${ports.http} check port ${ports.health} inter 500ms fall 2 rise 2` +
        (options.killsSessions ? " on-marked-down shutdown-sessions" : ""),
    ),
  ];
  const config = [
    ...["global", `  stats socket ${socket} mode 600 level admin`, "  maxconn 2000"],
    // Retries would hide what a client without them sees.
    ...["defaults", "  timeout connect 2s", "  timeout client 90s", "  timeout server 90s", "  retries 0"],
    ...frontend("http", httpPort),
    ...frontend("tcp", tcpPort),
    ...["frontend metrics", "  mode http", `  bind 127.0.0.1:${metricsPort}`],
    "  http-request use-service prometheus-exporter if { path /metrics }",
    "",
  ];
  writeFileSync(file, config.join("\n"));
  const child = spawn(options.haproxy, ["-db", "-f", file], { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const states = async (name: string) => {
    const lines = (await command(socket, "show stat")).split("\n").map((line) => line.split(","));
    return lines.filter(([, server]) => server === name).map((fields) => fields[17] ?? "");
  };
  const isUp = (name: string) =>
    until(
      `${name} is UP`,
      async () => {
        const found = await states(name).catch(() => []);
        return found.length === 2 && found.every((state) => state === "UP");
      },
      () => errors,
    );
  for (const { name } of options.servers) await isUp(name);
  return {
    httpPort,
    tcpPort,
    metricsPort,
    states,
    isUp,
    async stop() {
      child.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sends a line to HAProxy's stats socket and returns its answer. */
export function command(path: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(path, () => socket.end(`${line}\n`));
    socket.setEncoding("utf8").on("data", (chunk) => {
      answer += chunk;
    });
    socket.once("end", () => resolve(answer));
    socket.once("error", reject);
  });
}
