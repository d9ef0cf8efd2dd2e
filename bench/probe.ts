/**
 * The generator's own cost: 1,000 requests/s on one core, and 10,000 held connections.
 *
 *   taskset -c 1 node bench/probe.ts             the generator on one core
 *   taskset -c 1 node bench/probe.ts 20          seconds of each load (10)
 *
 * The target runs in a process of its own, on another core where `taskset` is there and the machine has one, so that
 * what is measured is the client. Prints a line per load; ends with 1 when a bar of the issue is not met.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, cpus } from "node:os";
import { keepSmall } from "../src/probe/memory.ts";
import type { Recorder } from "../src/probe/recorder.ts";
import { run } from "../src/probe/run.ts";
import type { RunSpec, Scenario } from "../src/probe/run-spec.ts";
import { LAG_LIMIT_MS } from "../src/probe/schedule.ts";
import { parseTarget } from "../src/probe/target.ts";
import { addressesOf } from "../test/integration/program.ts";

/** The bars of the issue. */
const BARS = { rate: 1000, behind: 0.05, lagMs: LAG_LIMIT_MS, held: 10_000, rssMiB: 200 } as const;

/** A load of the bench; each runs in a process of its own, so that its memory is that of one run. */
interface Load {
  readonly http2: boolean;
  readonly scenario: Scenario;
}

keepSmall();
const seconds = Number(process.argv[2] ?? 10);
const missed: string[] = [];
const loads = loadsOf(seconds * 1000);
const only = process.argv[3];

if (only === undefined) {
  console.error(`${cpus()[0]?.model ?? "unknown CPU"}, ${availableParallelism()} of ${cpus().length} cores for us`);
  const results = Object.keys(loads).map((name) =>
    spawnSync(process.execPath, ["bench/probe.ts", String(seconds), name], { stdio: "inherit" }),
  );
  process.exitCode = results.every(({ status }) => status === 0) ? 0 : 1;
} else {
  const load = loads[only];
  if (load === undefined) throw new Error(`${only} is none of ${Object.keys(loads).join(", ")}`);
  const target = await startTarget(load.http2);
  await measure(only, load.scenario, load.scenario.name === "tcp" ? target.tcp : target.url, load.http2);
  await target.stop();
  for (const line of missed) console.error(`missed: ${line}`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

function loadsOf(durationMs: number): Readonly<Record<string, Load>> {
  const load = {
    name: "load",
    rate: BARS.rate,
    durationMs,
    longShare: 0,
    longPath: "/",
    mostInFlight: 10_000,
  } as const;
  // Opened within 5 s, then held; each sends a line every 5 s, which is 2,000 lines/s.
  const open = { name: "tcp", connections: BARS.held, openRate: 2000, intervalMs: 5000, echoes: true } as const;
  return {
    "h1 half one-shot": { http2: false, scenario: { ...load, oneShot: 0.5 } },
    "h1 kept": { http2: false, scenario: { ...load, oneShot: 0 } },
    "h2 half one-shot": { http2: true, scenario: { ...load, oneShot: 0.5 } },
    "h2 kept": { http2: true, scenario: { ...load, oneShot: 0 } },
    "tcp held": { http2: false, scenario: { ...open, durationMs: durationMs + 5000 } },
  };
}

async function measure(name: string, scenario: Scenario, url: string, http2: boolean): Promise<void> {
  const parsed = parseTarget(url);
  if (!parsed.ok) throw new Error(parsed.reason);
  const spec: RunSpec = {
    scenario,
    targets: [parsed.target],
    http2,
    client: { lanes: 8, headers: {}, backendHeader: "x-probe-target", ca: undefined, insecure: false },
    timeoutMs: 30_000,
    trigger: undefined,
    haproxyStats: undefined,
  };
  let mostRss = 0;
  let mostInFlight = 0;
  let recorder: Recorder | undefined;
  const watch = setInterval(() => {
    mostRss = Math.max(mostRss, process.memoryUsage.rss());
    mostInFlight = Math.max(mostInFlight, recorder?.progress.inFlight ?? 0);
  }, 100);
  const cpu = process.cpuUsage();
  const report = await run(
    spec,
    {
      say: (line) => process.stderr.write(`${line}\n`),
      began: (totals) => {
        recorder = totals;
      },
    },
    new AbortController().signal,
  );
  clearInterval(watch);
  const { user, system } = process.cpuUsage(cpu);
  const { lagMs, behind } = report.punctuality;
  const rssMiB = mostRss / 2 ** 20;
  const ended = report.totals.outcomes.ok + report.totals.lost;
  console.log(
    [
      name.padEnd(18),
      scenario.name === "tcp"
        ? `${mostInFlight} connections held`
        : `${Math.round(ended / (report.durationMs / 1000))} requests/s`,
      `${report.totals.lost} lost`,
      `p99 ${report.totals.latencyMs.p99.toFixed(1)} ms`,
      `lag p99 ${lagMs.p99.toFixed(1)} max ${lagMs.max.toFixed(1)} ms`,
      `behind ${(behind * 100).toFixed(2)} %`,
      `CPU ${((user + system) / 10 / report.durationMs).toFixed(0)} %`,
      `RSS ${rssMiB.toFixed(0)} MiB`,
    ].join("  "),
  );
  if (behind >= BARS.behind) missed.push(`${name}: behind ${(behind * 100).toFixed(1)} % of the time`);
  if (lagMs.max > BARS.lagMs) missed.push(`${name}: a lag of ${lagMs.max.toFixed(0)} ms`);
  if (rssMiB > BARS.rssMiB) missed.push(`${name}: RSS ${rssMiB.toFixed(0)} MiB`);
  if (report.totals.lost > 0) missed.push(`${name}: ${report.totals.lost} lost`);
  if (scenario.name === "tcp" && mostInFlight < BARS.held) missed.push(`${name}: only ${mostInFlight} held`);
}

/** Starts probe-target, on the first core if the machine lets us choose. */
async function startTarget(http2: boolean): Promise<{ url: string; tcp: string; stop(): Promise<void> }> {
  const canPin = cpus().length > 1 && spawnSync("taskset", ["-c", "0", "true"]).status === 0;
  const args = ["src/main.ts", "probe-target", "--host", "127.0.0.1", "--port", "0", "--tcp-port", "0"];
  const [command, ...rest] = [...(canPin ? ["taskset", "-c", "0"] : []), process.execPath, ...args];
  const child = spawn(command ?? "", [...rest, ...(http2 ? ["--http2"] : [])], { stdio: ["ignore", "ignore", "pipe"] });
  const [url, tcp] = await addressesOf(child.stderr);
  return {
    url,
    tcp,
    async stop() {
      const closed = once(child, "close");
      child.kill("SIGTERM");
      await closed;
    },
  };
}
