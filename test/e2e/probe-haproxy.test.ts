/**
 * probe through a real HAProxy: retries hide resets behind 200s, and sessions are flushed, drained or kept on DOWN.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { closedPort, faultServer } from "../integration/fault-server.ts";
import { gracegate, targetProcess } from "../integration/program.ts";
import { debian } from "./install/components.ts";

const haproxy = debian("haproxy", ["haproxy"]);
const executable = haproxy.missing === undefined ? haproxy.path : "";

interface Balancer {
  readonly url: string;
  readonly statsUrl: string;
  readonly socket: string;
  stop(): Promise<void>;
}

/** Starts HAProxy with one frontend and one backend. */
async function balancer(mode: "http" | "tcp", backend: readonly string[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), "probe-haproxy-"));
  const [port, statsPort] = [await closedPort(), await closedPort()];
  const socket = join(folder, "admin.sock");
  const file = join(folder, "haproxy.cfg");
  writeFileSync(
    file,
    [
      ...["global", `  stats socket ${socket} mode 600 level admin`],
      ...["defaults", "  timeout connect 1s", "  timeout client 30s", "  timeout server 30s"],
      ...["frontend in", `  mode ${mode}`, `  bind 127.0.0.1:${port}`, "  default_backend app"],
      ...["backend app", `  mode ${mode}`, ...backend.map((line) => `  ${line}`)],
      ...["listen stats", "  mode http", `  bind 127.0.0.1:${statsPort}`, "  stats enable", "  stats uri /stats"],
      "",
    ].join("\n"),
  );
  const child: ChildProcess = spawn(executable, ["-db", "-f", file], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(child, "close");
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await admin(socket, "show info").catch(() => "");
    if (answer.includes("Name: HAProxy")) break;
    await new Promise((wake) => setTimeout(wake, 20));
  }
  return {
    url: `http://127.0.0.1:${port}`,
    statsUrl: `http://127.0.0.1:${statsPort}/stats;csv`,
    socket,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Sends one command to HAProxy's socket. */
async function admin(path: string, command: string): Promise<string> {
  const socket = connect(path);
  socket.end(`${command}\n`);
  return text(socket);
}

/** A shell command that takes a server out. */
function disabling(socket: string): string {
  const script = `require("node:net").connect("${socket}").end("disable server app/a\\n").resume()`;
  return `${process.execPath} -e '${script}'`;
}

describe("probe through HAProxy", { skip: haproxy.missing ?? false }, () => {
  for (const source of ["statsUrl", "socket"] as const) {
    test(`retries hide the resets behind 200s, and HAProxy's ${source} has them`, async () => {
      const backend = await faultServer("h1", "reset before the answer", 5);
      const lb = await balancer("http", [
        "retries 3",
        "retry-on all-retryable-errors",
        `server a 127.0.0.1:${backend.port}`,
      ]);
      const { code, stdout } = await gracegate(
        ...["probe", "load", lb.url, "--rate", "50", "--duration", "2s", "--long-share", "0", "-o", "json"],
        ...["--haproxy-stats", lb[source]],
      );
      await lb.stop();
      await backend.stop();
      const report = JSON.parse(stdout);
      const row = report.haproxy.find(({ server }: { server: string }) => server === "a");
      assert.equal(code, 0);
      assert.equal(report.outcomes.ok, 100);
      assert.ok(backend.broken() >= 20, `only ${backend.broken()} resets`);
      assert.equal(row.counters.eresp, backend.broken());
      // HAProxy 2.6 counts a retry after a reset twice: once when it starts over, once when it connects again.
      assert.ok(row.counters.wretr >= backend.broken(), `${row.counters.wretr} retries`);
    });
  }

  test("without retries the same resets are 502s", async () => {
    const backend = await faultServer("h1", "reset before the answer", 5);
    const lb = await balancer("http", ["retries 0", `server a 127.0.0.1:${backend.port}`]);
    const { code, stdout } = await gracegate(
      ...["probe", "load", lb.url, "--rate", "50", "--duration", "2s", "--long-share", "0", "-o", "json"],
      ...["--one-shot", "1", "--haproxy-stats", lb.statsUrl],
    );
    await lb.stop();
    await backend.stop();
    const { outcomes, details, haproxy: rows } = JSON.parse(stdout);
    assert.equal(code, 1);
    assert.deepEqual([outcomes.ok, outcomes["5xx"]], [80, 20]);
    assert.deepEqual(details["5xx"], { 502: 20 });
    assert.equal(rows[0].counters.wretr, 0);
  });

  test("an address that is not HAProxy's is said at once", async () => {
    const target = await targetProcess();
    const { code, stderr } = await gracegate("probe", "long", target.url, "--haproxy-stats", target.url);
    await target.stop();
    assert.equal(code, 1);
    assert.match(stderr, /the answer is not HAProxy's CSV; the URL should end in ;csv/);
  });

  for (const [verdict, mode, onDown, retries] of [
    ["flushes", "http", " on-marked-down shutdown-sessions"],
    ["flushes", "http", " on-marked-down shutdown-sessions", "retry-on conn-failure empty-response"],
    ["flushes", "tcp", " on-marked-down shutdown-sessions"],
    ["drains", "http", ""],
    ["keeps", "tcp", ""],
  ] as const) {
    test(`mode ${mode}${onDown}${retries ? ` with ${retries}` : ""} is seen to be one that ${verdict}`, async () => {
      const [a, b] = [await targetProcess("--name", "a"), await targetProcess("--name", "b")];
      const servers = Object.entries({ a, b }).map(([name, { url }]) => `server ${name} ${new URL(url).host}${onDown}`);
      const lb = await balancer(mode, [
        "balance roundrobin",
        ...(retries ? ["option redispatch 1", retries] : []),
        ...servers,
      ]);
      const { stdout, stderr } = await gracegate(
        ...["probe", "long", lb.url, "--watch-resets", "--count", "4", "--seconds", "8s", "-o", "json"],
        ...["--trigger", disabling(lb.socket), "--trigger-at", "2s"],
      );
      await Promise.all([lb.stop(), a.stop(), b.stop()]);
      const report = JSON.parse(stdout);
      assert.deepEqual(report.isVoid, [], stderr);
      assert.equal(report.balancer.verdict, verdict, report.balancer.because);
    });
  }
});
