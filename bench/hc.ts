/**
 * `make bench`: what hc costs, and how fast it answers, on the bundle that the image has.
 *
 *   node bench/hc.ts [--answers 100000] [--rate 2000]
 *
 * Bars (SPEC 16): anonymous memory ≤ 48 MiB after 100,000 answers and no growth over their second half; answer p99 < 5 ms
 * while Envoy's admin port hangs; first answer ≤ 500 ms, ≤ 1.5 s with 200m CPU. Each answer is on a connection of its
 * own, as a load balancer's check is. `--rate 200` is the literal bar and takes eight minutes.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { parseArgs } from "node:util";
import { FakeProxy } from "../test/integration/hc-fake-proxy.ts";
import { freePort } from "../test/integration/hc-process.ts";
import { cpuLimit } from "./cpu-limit.ts";

const { values } = parseArgs({
  options: { answers: { type: "string", default: "100000" }, rate: { type: "string", default: "2000" } },
});
const answers = Number(values.answers);
const rate = Number(values.rate);

/** Looks at the memory over the run. */
const SAMPLES = 50;

let isMet = true;
spawnSync(process.execPath, ["scripts/build-hc.ts"], { stdio: "inherit" });
const proxy = new FakeProxy();
await proxy.start();
await firstAnswers("unthrottled", 500, undefined);
const limit = cpuLimit(200);
if (limit === undefined) print("first answer with 200m CPU", "not measured: no cgroup can be made here", true);
else {
  await firstAnswers("with 200m CPU", 1500, limit.members);
  limit.remove();
}
await quietToClosing();
await manyAnswers();
await proxy.stop();
process.exitCode = isMet ? 0 : 1;

async function firstAnswers(how: string, most: number, members: string | undefined): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < 5; run++) {
    const port = await freePort();
    const started = performance.now();
    const hc = await startHc(port, members);
    while ((await check(port)) === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
    times.push(performance.now() - started);
    await stop(hc);
  }
  const worst = Math.max(...times);
  print(`first answer ${how}`, `${Math.round(median(times))} ms, at worst ${Math.round(worst)} ms`, worst <= most);
}

/** From the end of the last request to the first 503, in poll intervals; the fixed waits have passed by then. */
async function quietToClosing(): Promise<void> {
  const pollMs = 500;
  const env = { POLL_INTERVAL: `${pollMs}ms`, RETIRE_CONNECTIONS: "false", LB_DETECTION: "0", DRAIN_TIMEOUT: "60" };
  const polls: number[] = [];
  for (let run = 0; run < 5; run++) {
    const port = await freePort();
    const hc = await startHc(port, undefined, env);
    while ((await check(port)) === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
    proxy.inFlight = 1;
    hc.kill("SIGTERM");
    await new Promise((resolve) => setTimeout(resolve, 1200 + run * 90));
    proxy.inFlight = 0;
    const quiet = performance.now();
    while (!(await statusOf(port)).startsWith("HTTP/1.1 503")) await new Promise((resolve) => setTimeout(resolve, 5));
    polls.push((performance.now() - quiet) / pollMs);
    await stop(hc);
  }
  const worst = Math.max(...polls);
  print("from quiet to CLOSING", `${median(polls).toFixed(1)} polls, at worst ${worst.toFixed(1)}`, worst <= 3);
}

async function manyAnswers(): Promise<void> {
  const port = await freePort();
  const hc = await startHc(port, undefined);
  while ((await check(port)) === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
  proxy.admin = "hung";
  const memory: number[] = [];
  const latencies = new Float64Array(answers);
  let failed = 0;
  const fiftieth = answers / SAMPLES;
  const started = performance.now();
  const pending = new Set<Promise<void>>();
  for (let sent = 0; sent < answers; sent++) {
    const dueMs = started + (sent / rate) * 1000;
    const aheadMs = dueMs - performance.now();
    if (aheadMs > 1) await new Promise((resolve) => setTimeout(resolve, aheadMs));
    const one = check(port).then((ms) => {
      if (ms === undefined) failed += 1;
      latencies[sent] = ms ?? 0;
      pending.delete(one);
    });
    pending.add(one);
    if (pending.size > 64) await Promise.race(pending);
    if ((sent + 1) % fiftieth === 0) {
      await Promise.all(pending);
      memory.push(anonymousMiB(hc));
      if (process.stderr.isTTY) process.stderr.write(`${sent + 1} answers\r`);
    }
  }
  const perSecond = Math.round(answers / ((performance.now() - started) / 1000));
  const sorted = latencies.sort();
  const p99 = sorted[Math.floor(answers * 0.99)] ?? Infinity;
  // Garbage comes and goes; what stays is the lowest value of a while.
  const floor = (from: number, to: number) => Math.min(...memory.slice(from * SAMPLES, to * SAMPLES));
  const most = Math.max(...memory);
  const grown = floor(0.8, 1) - floor(0.4, 0.6);
  print(
    `answers at ${perSecond}/s with a hanging admin port`,
    `p99 ${p99.toFixed(2)} ms, ${failed} failed`,
    p99 < 5 && failed === 0,
  );
  print(`anonymous memory over ${answers} answers`, `at most ${most.toFixed(1)} MiB`, most <= 48);
  print("its growth from the middle to the end", `${grown.toFixed(1)} MiB`, grown <= 1);
  await stop(hc);
}

async function startHc(
  port: number,
  members: string | undefined,
  more: Record<string, string> = {},
): Promise<ChildProcess> {
  const args = ["--max-semi-space-size=1", "dist/hc.js"];
  const env = {
    ...process.env,
    ...proxy.environment,
    HEALTH_PORT: String(port),
    CONTROL_PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
    TERMINATION_MESSAGE: "/dev/null",
    ...more,
  };
  if (members === undefined) return spawn(process.execPath, args, { env, stdio: "ignore" });
  // The shell joins the group before it becomes hc, so that the start of Node is throttled too.
  const command = 'echo $$ > "$0" && exec "$@"';
  return spawn("sh", ["-c", command, members, process.execPath, ...args], { env, stdio: "ignore" });
}

/** Milliseconds until a check has its whole answer; undefined: none came. */
async function check(port: number): Promise<number | undefined> {
  const started = performance.now();
  return (await statusOf(port)) === "" ? undefined : performance.now() - started;
}

/** The first line of an answer. */
function statusOf(port: number): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write("OPTIONS / HTTP/1.0\r\n\r\n"));
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {});
    socket.once("close", () => resolve(text));
  });
}

function anonymousMiB(hc: ChildProcess): number {
  const [, kib] = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${hc.pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1024;
}

async function stop(hc: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => hc.once("exit", resolve));
  hc.kill("SIGKILL");
  await exited;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function print(what: string, figure: string, holds: boolean): void {
  isMet &&= holds;
  process.stdout.write(`${holds ? "ok  " : "MISS"} ${what}: ${figure}\n`);
}
