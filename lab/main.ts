/**
 * `make lab`: the runbook's experiment on one machine, with real parts end to end. It needs root, as a node does.
 *
 *   node lab/main.ts                                  everything: what is run before a release
 *   node lab/main.ts --only S1,S3 --modes improved    some of it
 *   node lab/main.ts --repeat 1                       each scenario once
 *   node lab/main.ts --fault close-at-once            with a fault planted in hc: the table has to turn red
 *   node lab/main.ts --publish                        and keep the run in docs/evidence/, for `make generate`
 *
 * Results, plots and logs go to lab/results/, which a run begins by emptying. Ends with 1 where a mode that has to lose
 * nothing lost something, or `current` lost nothing: then the rig proves nothing.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { clusterComponents } from "./cluster.ts";
import type { Run } from "./evidence.ts";
import { type FaultName, faults, faultyImage } from "./faults.ts";
import { judge, judgeTimes } from "./judge.ts";
import { modes } from "./modes.ts";
import { nameOf, type Record, type ScenarioName, scenarioNames } from "./record.ts";
import { runPlan } from "./schedule.ts";
import { table } from "./table.ts";
import { machine, versionsOf } from "./versions.ts";

const results = join(import.meta.dirname, "results");
const began = performance.now();

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: scenarioNames.join(",") },
      modes: { type: "string", default: modes.map(({ name }) => name).join(",") },
      repeat: { type: "string", default: "3" },
      fault: { type: "string" },
      publish: { type: "boolean", default: false },
    },
  });
  const only = listed(values.only, scenarioNames, "--only");
  const chosen = listed(
    values.modes,
    modes.map(({ name }) => name),
    "--modes",
  );
  const fault = values.fault === undefined ? undefined : listed(values.fault, Object.keys(faults), "--fault")[0];
  rmSync(results, { recursive: true, force: true });
  for (const folder of ["plots", "logs"]) mkdirSync(join(results, folder), { recursive: true });
  const components = clusterComponents();
  if (components.missing !== undefined) {
    say(components.missing);
    return 1;
  }
  say("a node of Kubernetes");
  const image = fault === undefined ? undefined : await faultyImage(fault as FaultName);
  const cluster = components.start(say, image);
  const stop = () => {
    say("tearing down");
    cpSync(join(cluster.node.folder, "log"), join(results, "logs/node"), { recursive: true });
    cluster.stop();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      stop();
      process.exit(130);
    });
  }
  const records: Record[] = [];
  const what = {
    startedAt: new Date(Date.now() - performance.now() + began).toISOString(),
    versions: versionsOf(cluster, components.haproxy),
    machine: machine(),
    ...(fault === undefined ? {} : { fault }),
  };
  const keep = () => {
    const run: Run = { ...what, minutes: Math.round((performance.now() - began) / 6000) / 10, records };
    writeFileSync(join(results, "run.json"), `${JSON.stringify(run, undefined, 1)}\n`);
  };
  try {
    await runPlan({
      cluster,
      haproxy: components.haproxy,
      scenarios: only as readonly ScenarioName[],
      modes: modes.filter(({ name }) => chosen.includes(name)),
      repeat: Number(values.repeat),
      results,
      say,
      told: (record) => {
        records.push(record);
        say(lineOf(record));
        keep();
      },
    });
    keep();
  } finally {
    stop();
  }
  if (values.publish) publish(fault);
  const judgement = [...judge(records), ...judgeTimes(records)];
  process.stdout.write(`${table(records)}\n`);
  for (const line of judgement) say(line);
  say(judgement.length === 0 ? "everything as it has to be" : `logs and plots are in ${results}`);
  return judgement.length === 0 ? 0 : 1;
}

/** Keeps a run for the page, with the plots of S3 before and after. */
function publish(fault: string | undefined): void {
  const folder = join(import.meta.dirname, "../docs/evidence");
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(results, "run.json"), join(folder, fault === undefined ? "run.json" : `fault-${fault}.json`));
  if (fault === undefined) {
    for (const mode of ["current", "improved"]) {
      const plot = join(results, `plots/S3-${mode}-1.svg`);
      if (existsSync(plot)) copyFileSync(plot, join(folder, `S3-${mode}.svg`));
    }
  }
  say(`kept in ${folder}; make generate writes the page`);
}

function lineOf(record: Record): string {
  const { words, isVoid, losses } = record;
  const lost = Object.entries(losses)
    .map(([kind, count]) => `${kind} × ${count}`)
    .join(", ");
  return [`${nameOf(record)}: ${words}`, lost, ...isVoid.map((reason) => `void: ${reason}`)]
    .filter((one) => one !== "")
    .join("; ");
}

function listed(text: string, known: readonly string[], flag: string): readonly string[] {
  const names = text.split(",");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  process.stderr.write(`${flag} ${unknown} is not known; there are ${known.join(", ")}\n`);
  process.exit(2);
}

function say(line: string): void {
  const seconds = Math.round((performance.now() - began) / 1000);
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  process.stderr.write(`${clock.padStart(5)}  ${line}\n`);
}
