/**
 * The built webhook within the chart's memory limit, under everything that strangers and policies can do to it: it must
 * not be ended, and must answer good calls in between. Prints the highest use of each attack.
 *
 *   npm run build && node bench/memory.ts [--limit MiB] [--only WORDS]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { policyObject } from "../src/policy/validate.ts";
import { type FakeApiServer, startFakeApiServer } from "../test/integration/fake-api-server.ts";
import { gatewayPod, reviewText } from "../test/integration/pods.ts";
import { makeFolder } from "../test/integration/webhook-process.ts";
import { memoryLimit } from "./memory-limit.ts";
import { ATTACKS, type Attack } from "./strangers.ts";

const MIB = 2 ** 20;
const { values } = parseArgs({
  options: { limit: { type: "string", default: String(chartLimit()) }, only: { type: "string", default: "" } },
});

/** The chart's limit, MiB. */
function chartLimit(): number {
  const chart = parse(readFileSync("charts/gracegate/values.yaml", "utf8")) as {
    resources: { limits: { memory: string } };
  };
  return Number.parseInt(chart.resources.limits.memory, 10);
}

/** Policies that the CRD lets through, 528 kB each with their annotation. */
function bomb(index: number) {
  const extraEnv = Array.from({ length: 64 }, (_, at) => ({ name: `V${at}`, value: "x".repeat(4096) }));
  const policy = policyObject(`p${index}`, "tenant", { gateway: { hc: { extraEnv } } });
  return { ...policy, metadata: { ...(policy.metadata as object), annotations: { a: "y".repeat(200_000) } } };
}

/** The attacks that need an API server. */
function policyAttacks(fake: FakeApiServer): readonly Attack[] {
  const each = (name: string, count: number, make: (index: number) => Parameters<FakeApiServer["put"]>[0]): Attack => ({
    name,
    async run() {
      for (let index = 0; index < count; index++) {
        fake.put(make(index));
        if (index % 20 === 0) await wait(5);
      }
      await wait(2000);
    },
  });
  const small = (name: string, namespace: string) =>
    policyObject(name, namespace, { gateway: { drainTimeout: "40s" } });
  return [
    each("300 policies of 528 kB, one after the other", 300, (index) => bomb(index + 300)),
    each("10,000 namespaces with a policy each", 10_000, (index) => small("default", `team-${index}`)),
    each("10,000 policies in one namespace", 10_000, (index) => small(`p${index}`, "many")),
  ];
}

async function main(): Promise<number> {
  const limit = memoryLimit(Number(values.limit) * MIB);
  if ("missing" in limit) {
    process.stderr.write(`skipped: ${limit.missing}\n`);
    return 0;
  }
  const folder = await makeFolder();
  const fake = await startFakeApiServer();
  for (let index = 0; index < 300; index++) fake.put(bomb(index));
  const files = ["--tls-cert", folder.tlsCert, "--tls-key", folder.tlsKey];
  const flags = ["--policy", "cluster", "--bind", "127.0.0.1", "--port", "0", "--metrics-port", "0"];
  // As image/gracegate starts it.
  const memory = ["--max-semi-space-size=4", "--max-old-space-size=160"];
  const node = [process.execPath, ...memory, "dist/main.js", "webhook", ...flags, ...files];
  const child = spawn("sh", ["-c", 'echo $$ > "$0" && exec "$@"', limit.members, ...node], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, KUBECONFIG: fake.kubeconfig },
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let isWell = true;
  try {
    const port = await portOf(child);
    isWell = await becameReady(child, port);
    report("start with 300 policies of 528 kB", child, limit, isWell);
    for (const attack of [...ATTACKS, ...policyAttacks(fake)].filter(({ name }) => name.includes(values.only))) {
      if (!isWell) break;
      limit.reset();
      await Promise.race([attack.run(port), exited]);
      isWell = await answers(port);
      report(attack.name, child, limit, isWell);
    }
  } finally {
    child.kill("SIGTERM");
    await exited;
    await fake.close();
    folder.remove();
    limit.remove();
  }
  return isWell ? 0 : 1;
}

function report(
  name: string,
  { pid, exitCode, signalCode }: ChildProcess,
  limit: { peak(): number; kills(): number },
  isWell: boolean,
) {
  const ended = exitCode !== null || signalCode !== null;
  const rss = ended ? 0 : Number(/VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  const state = ended ? `ENDED by ${signalCode ?? exitCode}` : isWell ? "answers" : "DOES NOT ANSWER";
  const peak = `${(limit.peak() / MIB).toFixed(0)} MiB`;
  process.stdout.write(
    `${name.padEnd(64)} highest ${peak.padStart(8)}  now ${rss.toFixed(0).padStart(4)} MiB  ${state}\n`,
  );
}

/** Whether it answers a review; it may take a moment to work off what was sent. */
async function answers(port: number): Promise<boolean> {
  for (let attempt = 0; attempt < 20; attempt++) {
    if ((await send("POST", port, "/mutate", reviewText(gatewayPod())).catch(() => 0)) === 200) return true;
    await wait(250);
  }
  return false;
}

/** Whether it becomes ready; an attack in its list may take a while. */
async function becameReady(child: ChildProcess, port: number): Promise<boolean> {
  for (let attempt = 0; attempt < 300 && child.exitCode === null && child.signalCode === null; attempt++) {
    if ((await send("GET", port, "/readyz").catch(() => 0)) === 200) return true;
    await wait(200);
  }
  return false;
}

/** Sends a call on a connection of its own; resolves with its status. */
function send(method: string, port: number, path: string, text?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = text === undefined ? {} : { "Content-Type": "application/json" };
    const options = { host: "127.0.0.1", port, path, method, headers, agent: false, rejectUnauthorized: false };
    const sent = request({ ...options, signal: AbortSignal.timeout(10_000) }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
      response.once("error", reject);
    });
    sent.once("error", reject);
    sent.end(text);
  });
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const port = /:([0-9]+)\/mutate/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once("exit", (code, signal) => reject(new Error(`the webhook ended with ${signal ?? code}: ${said}`)));
  });
}

await main().then((code) => process.exit(code));
