/**
 * What runs when. Modes have namespaces, ports and balancers of their own, so what leaves the machine idle (one request of
 * a minute) runs in all of them at once, and what loads it in some.
 */
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";
import { firstCalls, prepareMesh, rolledApplication } from "./mesh.ts";
import type { Mode } from "./modes.ts";
import type { Record, ScenarioName } from "./record.ts";
import { Rig } from "./rig.ts";
import {
  deaths,
  deletion,
  evictions,
  type LoadPlan,
  longAndStream,
  neverQuiet,
  restarts,
  rollout,
  underLoad,
} from "./scenarios.ts";

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

/** How many modes are under load at the same time: some 300 requests a second are little for two cores. */
const LOADED = 3;

/** And where what happens is the node's: a drain of it or a dead kubelet is everybody's. */
const ALONE = 1;

/** Modes that a scenario says something about. */
const lines: { readonly [name in ScenarioName]?: readonly Mode["name"][] } = {
  S1: ["current", "runbook", "improved"],
  S2: ["current", "runbook", "same-node", "improved"],
  S3: ["current", "runbook", "same-node", "improved", "improved-no-min-ready"],
  S5: ["current", "runbook", "improved"],
  S8: ["current", "runbook", "improved"],
  S9: ["current", "runbook", "improved"],
  S10: ["current", "runbook", "improved"],
};

/** A scenario under load: how often it runs, and in how many modes at the same time. */
interface Loaded {
  readonly name: ScenarioName;
  plansOf(rig: Rig): readonly LoadPlan[];
  readonly times: "repeat" | 1;
  readonly together: number;
}

/** The scenarios under load, in their order. */
const loads: readonly Loaded[] = [
  { name: "S3", plansOf: (rig) => [rollout(rig)], times: "repeat", together: LOADED },
  { name: "S2", plansOf: (rig) => [deletion(rig)], times: 1, together: LOADED },
  { name: "S5", plansOf: (rig) => [neverQuiet(rig)], times: 1, together: LOADED },
  { name: "S8", plansOf: evictions, times: 1, together: ALONE },
  { name: "S9", plansOf: restarts, times: 1, together: ALONE },
  { name: "S10", plansOf: deaths, times: 1, together: LOADED },
];

/** Runs everything. */
export async function runPlan(plan: RunPlan): Promise<void> {
  const { scenarios, modes, say, told, repeat } = plan;
  const wants = (name: ScenarioName) => scenarios.includes(name);
  const of = (name: ScenarioName) => (wants(name) ? modes.filter((mode) => lines[name]?.includes(mode.name)) : []);
  const single = wants("S1") || wants("S4") ? modes.filter((mode) => lines.S1?.includes(mode.name)) : [];
  const loaded = modes.filter((mode) => loads.some(({ name }) => of(name).includes(mode)));
  const used = modes.filter((mode) => single.includes(mode) || loaded.includes(mode));
  const [plots, logs] = [join(plan.results, "plots"), join(plan.results, "logs")];
  const rigs = new Map<Mode, Rig>();
  const rigOf = (mode: Mode) => rigs.get(mode) as Rig;
  try {
    say(`gateways of ${used.map(({ name }) => name).join(", ")}`);
    const started = await Promise.allSettled(used.map((mode) => Rig.start(plan.cluster, plan.haproxy, mode, logs)));
    for (const one of started) if (one.status === "fulfilled") rigs.set(one.value.mode, one.value);
    for (const one of started) if (one.status === "rejected") throw one.reason;
    await singleRequests();
    await inMesh(plan, logs);
    await Promise.all(loaded.map((mode) => rigOf(mode).limitDrain(mode.drainTimeoutUnderLoad)));
    for (const { name, plansOf, times, together } of loads) {
      const repeats = Array.from({ length: times === "repeat" ? repeat : times }, (_, index) => index + 1);
      // Two turns of one mode would be in each other's way.
      for (const [time, some] of repeats.flatMap((time) =>
        groups(of(name), together).map((group) => [time, group] as const),
      )) {
        say(`${name}, ${time} of ${repeats.length}, in ${some.map((mode) => mode.name).join(", ")}`);
        await Promise.all(some.map((mode) => inTurn(rigOf(mode), plansOf(rigOf(mode)), time)));
      }
    }
  } finally {
    await Promise.all([...rigs.values()].map((rig) => rig.stop()));
  }

  async function singleRequests(): Promise<void> {
    for (let time = 1; time <= repeat && single.length > 0; time++) {
      say(`S1 and S4, ${time} of ${repeat}, in ${single.map(({ name }) => name).join(", ")}`);
      const all = single.map(async (mode) => {
        const records = await untilValid(() => longAndStream(rigOf(mode), time, plots));
        for (const record of records) if (wants(record.scenario)) told(record);
      });
      await Promise.all(all);
    }
  }

  async function inTurn(rig: Rig, plans: readonly LoadPlan[], time: number): Promise<void> {
    for (const one of plans) {
      const [record] = await untilValid(async () => [await underLoad(rig, one, time, plots)]);
      if (record !== undefined) told(record);
    }
  }
}

/** S6 and S7, both kinds of sidecar at once in both namespaces. */
async function inMesh({ cluster, modes, scenarios, say, told }: RunPlan, logs: string): Promise<void> {
  if (!scenarios.includes("S6") && !scenarios.includes("S7")) return;
  const chosen = (["current", "improved"] as const).filter((mode) => modes.some(({ name }) => name === mode));
  say(`S6 and S7, in ${chosen.join(", ")}`);
  await Promise.all(
    chosen.map(async (mode) => {
      await prepareMesh(cluster, mode);
      if (scenarios.includes("S7")) told(await firstCalls(cluster, mode));
      if (!scenarios.includes("S6")) return;
      const kinds = ["classic", "native"] as const;
      const all = kinds.map((kind) => untilValid(async () => [await rolledApplication(cluster, mode, kind, logs)]));
      for (const record of (await Promise.all(all)).flat()) told(record);
    }),
  );
}

/** Runs something again where it proved nothing: ten seconds of success before the trigger were not there. */
export async function untilValid(run: () => Promise<readonly Record[]>): Promise<readonly Record[]> {
  for (let tries = 1; ; tries++) {
    const records = await run();
    if (tries === TRIES || records.every(({ isVoid }) => isVoid.length === 0)) return records;
  }
}

/** Groups of modes that are under load at the same time. */
function groups(modes: readonly Mode[], together: number): readonly (readonly Mode[])[] {
  const found: Mode[][] = [];
  for (const [index, mode] of modes.entries()) {
    if (index % together === 0) found.push([]);
    found.at(-1)?.push(mode);
  }
  return found;
}
