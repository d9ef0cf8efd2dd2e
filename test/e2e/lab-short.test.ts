/**
 * The short form of `make lab`: S1, S4 and S3 with a real node, istiod, gateways and HAProxy, as people run it today and
 * with Gracegate.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Cluster, clusterComponents } from "../../lab/cluster.ts";
import { judge } from "../../lab/judge.ts";
import { modes } from "../../lab/modes.ts";
import type { Record } from "../../lab/record.ts";
import { Rig } from "../../lab/rig.ts";
import { longAndStream, rollout, underLoad } from "../../lab/scenarios.ts";
import { untilValid } from "../../lab/schedule.ts";

/** Longer than the runbook's way to lose it takes, and shorter than the lab's. */
const REQUEST_S = 20;

const components = clusterComponents({});
const folder = mkdtempSync(join(tmpdir(), "gracegate-lab-"));

let cluster: Cluster;
let rigs: readonly Rig[] = [];

describe("gateways behind HAProxy, with the parts that people run", {
  skip: components.missing ?? false,
  timeout: 600_000,
}, () => {
  before(async () => {
    mkdirSync(join(folder, "plots"));
    cluster = components.start((line) => process.stderr.write(`${line}\n`));
    const two = modes.filter(({ name }) => name === "current" || name === "improved");
    rigs = await Promise.all(two.map((mode) => Rig.start(cluster, components.haproxy, mode, join(folder, "logs"))));
  });

  after(async () => {
    await Promise.all(rigs.map((rig) => rig.stop()));
    cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("a long request and a stream survive the deletion of their pods, and do not without Gracegate", async () => {
    hold(await inEach((rig) => longAndStream(rig, 1, join(folder, "plots"), REQUEST_S)));
  });

  it("a rollout of both gateways loses nothing, and does without Gracegate", async () => {
    hold(await inEach(async (rig) => [await underLoad(rig, rollout(rig), 1, join(folder, "plots"))]));
  });
});

async function inEach(run: (rig: Rig) => Promise<readonly Record[]>): Promise<readonly Record[]> {
  return (await Promise.all(rigs.map((rig) => untilValid(() => run(rig))))).flat();
}

function hold(records: readonly Record[]): void {
  for (const { scenario, mode, words, pods } of records) {
    const gone = pods.map(({ seconds }) => seconds.toFixed(1)).join(" s, ");
    process.stderr.write(`${scenario} ${mode}: ${words}; pods gone after ${gone} s\n`);
  }
  assert.equal(records.length % 2, 0);
  assert.deepEqual(judge(records), []);
}
