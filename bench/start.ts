/**
 * What a replica's start costs: until it is ready with policies and mesh config from a cluster, in time, CPU and memory.
 *
 *   npm run build && node bench/start.ts [--rounds 15] [MAIN…]
 *
 * Each MAIN is a main.js, dist/main.js where none is named: build another commit elsewhere and name both. They take turns, so
 * that a busy machine slows each alike; each is started without a compile cache and, as the image does, with one.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { meshConfigMap } from "../test/integration/cluster-worlds.ts";
import { startFakeApiServer } from "../test/integration/fake-api-server.ts";
import { makeFolder, startWebhook } from "../test/integration/webhook-process.ts";
import { cpuOf } from "./server-process.ts";

/** One start. */
interface Start {
  readonly readyMs: number;
  readonly cpuMs: number;
  readonly rssMib: number;
}

const { values, positionals } = parseArgs({
  options: { rounds: { type: "string", default: "15" } },
  allowPositionals: true,
});
const mains = positionals.length > 0 ? positionals : ["dist/main.js"];
const api = await startFakeApiServer();
api.put(meshConfigMap("defaultConfig: {}"));
const folder = await makeFolder();
try {
  const kinds = mains.flatMap((main, index) => {
    const cache = join(folder.path, `cache-${index}`);
    mkdirSync(cache);
    return [
      { name: main, main, cache: undefined },
      { name: `${main}, compiled before`, main, cache },
    ].map((kind) => ({ ...kind, starts: [] as Start[] }));
  });
  for (const { main, cache } of kinds) await start(main, cache);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const { main, cache, starts } of kinds) starts.push(await start(main, cache));
  print(`medians of ${values.rounds} starts, in turns\n`);
  print("ready ms   CPU ms   RSS MiB");
  for (const { name, starts } of kinds) {
    const columns = [median(starts, "readyMs").padStart(8), median(starts, "cpuMs").padStart(8)];
    print(`${columns.join(" ")} ${median(starts, "rssMib").padStart(9)}   ${name}`);
  }
} finally {
  await api.close();
  folder.remove();
}

async function start(main: string, cache: string | undefined): Promise<Start> {
  const started = performance.now();
  const webhook = await startWebhook(
    folder,
    ["--policy", "cluster", "--mesh-config", "cluster"],
    {
      KUBECONFIG: api.kubeconfig,
      // As image/gracegate starts it.
      NODE_OPTIONS: "--max-semi-space-size=4",
      ...(cache === undefined ? { NODE_DISABLE_COMPILE_CACHE: "1" } : { NODE_COMPILE_CACHE: cache }),
    },
    main,
  );
  while ((await webhook.get("/readyz")).status !== 200) await wait(5);
  const readyMs = performance.now() - started;
  const pid = webhook.child.pid ?? 0;
  const cpuMs = cpuOf(pid) * 1000;
  await wait(500);
  const kib = Number(/VmRSS:\s+([0-9]+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  await webhook.stop();
  return { readyMs, cpuMs, rssMib: kib / 1024 };
}

function median(starts: readonly Start[], what: keyof Start): string {
  const sorted = starts.map((one) => one[what]).sort((a, b) => a - b);
  return (sorted[Math.floor(sorted.length / 2)] ?? Number.NaN).toFixed(0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
