/**
 * A stand-in for the proxy, for faults that the real Envoy and agent cannot be made to show: an admin port that is slow,
 * hangs or talks nonsense, an agent that is not ready. The real ones are in test/e2e.
 */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** How the admin port behaves. */
export type AdminMode = "ok" | "slow" | "hung" | "garbled" | "refused" | "error" | "trickling" | "endless" | "gzip";

/** A proxy whose every answer a test can choose. */
export class FakeProxy {
  /** What the connection managers count. */
  inFlight = 0;
  requests = 0;
  /** Connections of a TCP listener. */
  tcp = 0;
  /** Requests to services of the mesh. */
  upstream = 0;
  /** Idle services of the mesh, each with a cluster of its own. */
  services = 0;
  /** Suffixes that the stats matcher hides. */
  hidden: string[] = [];
  /** What 15021 answers. */
  ready = 200;
  admin: AdminMode = "ok";
  /** What was posted to the admin port. */
  readonly posts: string[] = [];
  /** Polls that are being answered at this moment, and the most that ever were. */
  polls = 0;
  mostPolls = 0;
  /** Whether a quitquitquit is obeyed. */
  quits = true;
  readonly #host: string;
  readonly #servers = new Map<"admin" | "agent" | "ready", Server>();
  readonly #ports = new Map<"admin" | "agent" | "ready", number>();

  /** @param host the loopback address on which it listens */
  constructor(host = "127.0.0.1") {
    this.#host = host;
  }

  /** Opens all ports; the first time they are chosen by the system. */
  async start(): Promise<void> {
    this.ready = 200;
    await this.#open("admin", (url, response, method) => this.#answerAdmin(url, response, method));
    await this.#open("agent", (_, response) => response.end("ok"));
    await this.#open("ready", (_, response) => {
      response.statusCode = this.ready;
      response.end();
    });
  }

  /** What a SIGTERM does to the agent: 15020 is refused and 15021 not ready in the same millisecond. */
  async stopAgent(): Promise<void> {
    this.ready = 503;
    await this.#close("agent");
  }

  /** The end of the container. */
  async stop(): Promise<void> {
    for (const name of ["ready", "agent", "admin"] as const) await this.#close(name);
  }

  async closeAdmin(): Promise<void> {
    await this.#close("admin");
  }

  /** The proxy's ports, as hc's environment names them. */
  get environment(): Record<string, string> {
    const port = (name: "admin" | "agent" | "ready") => String(this.#ports.get(name));
    return { ENVOY_ADMIN_PORT: port("admin"), AGENT_STATUS_PORT: port("agent"), PROXY_READY_PORT: port("ready") };
  }

  async #open(
    name: "admin" | "agent" | "ready",
    answer: (url: string, response: ServerResponse, method: string) => void,
  ): Promise<void> {
    const server = createServer((request, response) => answer(request.url ?? "", response, request.method ?? ""));
    await new Promise<void>((resolve) => server.listen(this.#ports.get(name) ?? 0, this.#host, resolve));
    this.#servers.set(name, server);
    this.#ports.set(name, (server.address() as AddressInfo).port);
  }

  async #close(name: "admin" | "agent" | "ready"): Promise<void> {
    const server = this.#servers.get(name);
    this.#servers.delete(name);
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  #answerAdmin(url: string, response: ServerResponse, method: string): void {
    if (method === "POST") {
      this.posts.push(url);
      if (this.admin === "hung") return;
      response.end("OK\n");
      if (url === "/quitquitquit" && this.quits) void this.stop();
      return;
    }
    this.polls += 1;
    this.mostPolls = Math.max(this.mostPolls, this.polls);
    response.once("close", () => {
      this.polls -= 1;
    });
    const text = this.#stats(decodeURIComponent(url));
    if (this.admin === "hung") return;
    if (this.admin === "slow") setTimeout(() => response.end(text), 5000).unref();
    else if (this.admin === "trickling") trickle(response, text);
    else if (this.admin === "endless")
      flood(response, "cluster.outbound|1||b.shop;.upstream_rq_active: 0\n".repeat(1000));
    else if (this.admin === "gzip") response.setHeader("Content-Encoding", "gzip").end(gzipSync(text));
    else if (this.admin === "garbled") response.end("<html>\u0000 upstream connect error");
    else if (this.admin === "error") response.writeHead(400).end("Invalid re2 regex");
    else response.end(text);
  }

  #stats(url: string): string {
    const lines = url.includes("rq_total")
      ? [`http.admin.downstream_rq_total: 9`, `http.outbound_0.0.0.0_8080;.downstream_rq_total: ${this.requests}`]
      : [
          "http.admin.downstream_rq_active: 1",
          "http.admin.downstream_cx_active: 1",
          `http.outbound_0.0.0.0_8080;.downstream_rq_active: ${this.inFlight}`,
          `http.outbound_0.0.0.0_8080;.downstream_cx_active: 2`,
          `listener.0.0.0.0_8080.downstream_cx_active: 2`,
          `listener.0.0.0.0_9443.downstream_cx_active: ${this.tcp}`,
          ...Array.from({ length: this.services }, (_, at) => idleService(at)),
          `cluster.outbound|80||app.shop;.upstream_rq_active: ${this.upstream}`,
        ];
    return lines
      .filter((line) => !this.hidden.some((suffix) => line.includes(suffix)))
      .join("\n")
      .concat("\n");
  }
}

/** About a hundred characters, as Istio names a service. */
function idleService(at: number): string {
  return `cluster.outbound|8080||service-${at}.namespace-of-a-team.svc.cluster.local;.upstream_rq_active: 0`;
}

/** Six pieces, half a second apart: longer than a silent answer may take. */
function trickle(response: ServerResponse, text: string): void {
  const size = Math.ceil(text.length / 6);
  let from = 0;
  const timer = setInterval(() => {
    response.write(text.slice(from, from + size));
    from += size;
    if (from >= text.length) response.end();
  }, 500);
  response.once("close", () => clearInterval(timer));
}

/** As fast as it is read, until the reader goes away. */
function flood(response: ServerResponse, text: string): void {
  const more = () => {
    while (!response.destroyed && response.write(text));
  };
  response.on("drain", more);
  more();
}
