/**
 * HAProxy outside the node, in front of one mode's gateways: one frontend in mode http and one in mode tcp with both
 * gateways, and one for each gateway alone, so that a single request can be sent to the one that will be deleted.
 */
import { spawn } from "node:child_process";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "../test/e2e/hc/balancer.ts";
import { freePort } from "../test/integration/hc-process.ts";
import { type GatewayName, gateways, nodePortsOf } from "./gateways.ts";
import { CHECK, type Mode } from "./modes.ts";
import { until } from "./wait.ts";

/** A frontend. */
export type Frontend = "http" | "tcp" | GatewayName;

/** A balancer at work. */
export interface Balancer {
  /** The URL of a frontend. */
  url(frontend: Frontend): string;
  /** Waits until every gateway is UP everywhere, or rejects. */
  allUp(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it; its log goes to a file. */
export async function startBalancer(
  haproxy: string,
  mode: Mode,
  nodeAddress: string,
  logFile: string,
): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), "gracegate-lab-lb-"));
  const socket = join(folder, "stats.sock");
  const ports: Record<Frontend, number> = {
    http: await freePort(),
    tcp: await freePort(),
    a: await freePort(),
    b: await freePort(),
  };
  const server = (gateway: GatewayName) => {
    const { data, check } = nodePortsOf(mode, gateway);
    return `  server ${gateway} ${nodeAddress}:${data} check port ${check}`;
  };
  const listen = (name: Frontend, kind: "http" | "tcp", servers: readonly GatewayName[]) => [
    `listen ${name}`,
    `  mode ${kind}`,
    `  bind 127.0.0.1:${ports[name]}`,
    ...checkLines(mode),
    ...servers.map(server),
  ];
  const config = [
    ...["global", `  stats socket ${socket} mode 600 level admin`, "  maxconn 4000", "  log stderr format raw local0"],
    "defaults",
    "  log global",
    "  timeout connect 2s",
    "  timeout client 180s",
    "  timeout server 180s",
    `  timeout check ${CHECK.timeoutMs}ms`,
    // A retry would hide what a client without one sees.
    "  retries 0",
    `  default-server inter ${CHECK.intervalMs}ms fall ${CHECK.fall} rise ${CHECK.rise} on-marked-down shutdown-sessions`,
    ...listen("http", "http", gateways),
    ...listen("tcp", "tcp", gateways),
    ...gateways.flatMap((gateway) => listen(gateway, "http", [gateway])),
    "",
  ];
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, config.join("\n"));
  const child = spawn(haproxy, ["-db", "-f", file], { stdio: ["ignore", "ignore", "pipe"] });
  const log = createWriteStream(logFile, { flags: "a" });
  log.write(`${config.join("\n")}\n`);
  child.stderr.pipe(log);
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const end = () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  // A run that is interrupted ends without `stop`.
  process.once("exit", end);
  return {
    url: (frontend) => `http://127.0.0.1:${ports[frontend]}`,
    allUp: () =>
      until(`every gateway of ${mode.name} is UP; see ${logFile}`, async () => {
        const states = await statesOf(socket).catch(() => []);
        return states.length === 6 && states.every((state) => state === "UP");
      }),
    async stop() {
      process.removeListener("exit", end);
      end();
      await exited;
    },
  };
}

/** What HAProxy asks: as the mode's people have it, with HTTP/1.1 and Host, since Envoy answers 1.0 with 426. */
function checkLines({ check, disableOn404 }: Mode): readonly string[] {
  if (check === "proxy") {
    return ["  option httpchk", "  http-check send meth GET uri /healthz/ready ver HTTP/1.1 hdr Host gateway"];
  }
  const drain = disableOn404 ? ["  http-check disable-on-404"] : [];
  return ["  option httpchk", "  http-check send meth GET uri /health_check.html", ...drain];
}

/** States of all servers, as HAProxy names them. */
async function statesOf(socket: string): Promise<readonly string[]> {
  const lines = (await command(socket, "show stat")).split("\n").map((line) => line.split(","));
  return lines.filter(([, name]) => gateways.some((gateway) => gateway === name)).map((fields) => fields[17] ?? "");
}
