/**
 * What runs when. Modes have namespaces, ports and balancers of their own, so what leaves the machine idle (one request of
 * a minute) runs in all of them at once, and what loads it in two.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";
import type { Mode } from "./modes.ts";
import type { Record, ScenarioName } from "./record.ts";
import { Rig } from "./rig.ts";
import { deletion, longAndStream, neverQuiet, rollout, underLoad } from "./scenarios.ts";

/** A run of the lab. */
export interface RunPlan {
  readonly cluster: Cluster;
  readonly haproxy: string;
  readonly scenarios: readonly ScenarioName[];
  readonly modes: readonly Mode[];
  /** How often S1, S3 and S4 run. */
  readonly repeat: number;
  /** The folder of plots and logs. */
  readonly results: string;
  say(line: string): void;
  told(record: Record): void;
}

/** Times that a run is tried again where it proved nothing. */
const TRIES = 3;

/** How many modes are under load at the same time. */
const LOADED = 2;

/** Modes that a scenario says something about. */
const lines: { readonly [name in ScenarioName]?: readonly Mode["name"][] } = {
  S1: ["current", "runbook", "improved"],
  S2: ["current", "runbook", "same-node", "improved"],
  S3: ["current", "runbook", "same-node", "improved", "improved-no-min-ready"],
  S5: ["current", "runbook", "improved"],
};

/** Runs everything. */
export async function runPlan(plan: RunPlan): Promise<void> {
  const { scenarios, modes, say, told, repeat } = plan;
  const wants = (name: ScenarioName) => scenarios.includes(name);
  const of = (name: ScenarioName) => (wants(name) ? modes.filter((mode) => lines[name]?.includes(mode.name)) : []);
  const single = wants("S1") || wants("S4") ? modes.filter((mode) => lines.S1?.includes(mode.name)) : [];
  const used = modes.filter((mode) => [single, of("S2"), of("S3"), of("S5")].some((some) => some.includes(mode)));
  const plots = join(plan.results, "plots");
  const logs = join(plan.results, "logs");
  mkdirSync(logs, { recursive: true });
  const rigs = new Map<Mode, Rig>();
  const rigOf = (mode: Mode) => rigs.get(mode) as Rig;
  try {
    say(`gateways of ${used.map(({ name }) => name).join(", ")}`);
    const started = await Promise.allSettled(used.map((mode) => Rig.start(plan.cluster, plan.haproxy, mode, logs)));
    for (const one of started) if (one.status === "fulfilled") rigs.set(one.value.mode, one.value);
    for (const one of started) if (one.status === "rejected") throw one.reason;
    for (let time = 1; time <= repeat && single.length > 0; time++) {
      const all = single.map(async (mode) => {
        const records = await untilValid(() => longAndStream(rigOf(mode), time, plots));
        for (const record of records) if (wants(record.scenario)) told(record);
      });
      await Promise.all(all);
    }
    const loaded = used.filter((mode) => [of("S2"), of("S3"), of("S5")].some((some) => some.includes(mode)));
    await Promise.all(loaded.map((mode) => rigOf(mode).limitDrain(mode.drainTimeoutUnderLoad)));
    for (const [name, planOf, times] of [
      ["S3", rollout, repeat],
      ["S2", deletion, 1],
      ["S5", neverQuiet, 1],
    ] as const) {
      const todo = of(name);
      const turns = todo.flatMap((mode) => Array.from({ length: times }, (_, index) => [mode, index + 1] as const));
      // Turns of one mode would be in each other's way; pairs are made of different ones.
      for (const some of pairs(turns)) {
        const all = some.map(async ([mode, time]) => {
          const rig = rigOf(mode);
          const [record] = await untilValid(async () => [await underLoad(rig, planOf(rig), time, plots)]);
          if (record !== undefined) told(record);
        });
        await Promise.all(all);
      }
    }
  } finally {
    await Promise.all([...rigs.values()].map((rig) => rig.stop()));
  }
}

async function untilValid(run: () => Promise<readonly Record[]>): Promise<readonly Record[]> {
  for (let tries = 1; ; tries++) {
    const records = await run();
    if (tries === TRIES || records.every(({ isVoid }) => isVoid.length === 0)) return records;
  }
}

/** Groups of turns that may run at once: no mode twice in one. */
function pairs(turns: readonly (readonly [Mode, number])[]): readonly (readonly (readonly [Mode, number])[])[] {
  const groups: (readonly [Mode, number])[][] = [];
  for (const turn of turns) {
    const group = groups.find((some) => some.length < LOADED && some.every(([mode]) => mode !== turn[0]));
    if (group === undefined) groups.push([turn]);
    else group.push(turn);
  }
  return groups;
}
