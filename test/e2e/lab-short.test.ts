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
import { objectAt } from "../../src/pod/json.ts";

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

  it("the running proxy uses what was written", () => {
    const improved = rigs.find(({ mode }) => mode.name === "improved");
    const inProxy = (...command: readonly string[]) =>
      improved?.kubectl("exec", "deployment/gateway-a", "--container", "istio-proxy", "--", ...command) ?? "";
    const admin = (path: string) => inProxy("wget", "-q", "-O", "-", `http://127.0.0.1:15000/${path}`);
    const environment = inProxy("cat", "/proc/1/environ").split("\0");
    assert.ok(environment.includes("EXIT_ON_ZERO_ACTIVE_CONNECTIONS=true"));
    assert.ok(environment.includes("MINIMUM_DRAIN_DURATION=5s"));
    // What the agent made of environment, annotation and defaults, in its own words.
    const log = improved?.kubectl("logs", "deployment/gateway-a", "--container", "istio-proxy") ?? "";
    assert.match(log, /Effective config:[\s\S]*terminationDrainDuration: 120s/);
    assert.match(log, /Effective config:[\s\S]*holdApplicationUntilProxyStarts: true/);
    const options = objectAt(JSON.parse(admin("server_info")), "command_line_options");
    assert.equal(options.drain_time, "45s");
    assert.equal(options.drain_strategy, "Immediate");
    const bootstrap = admin("config_dump");
    for (const suffix of [
      "downstream_rq_active",
      "downstream_rq_total",
      "upstream_rq_active",
      "downstream_cx_active",
    ]) {
      assert.match(bootstrap, new RegExp(`"suffix": "${suffix}"`));
    }
    assert.match(
      admin("stats?filter=downstream_rq_active"),
      /^http\.outbound_0\.0\.0\.0_8080;?\.downstream_rq_active: /m,
    );
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
