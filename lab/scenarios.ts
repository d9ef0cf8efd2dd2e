/**
 * The runbook's scenarios on one rig. Each sends its traffic with `gracegate probe`, whose trigger deletes or restarts
 * what is to be survived, and waits until everything is as it was.
 *
 * Ten seconds of complete success precede every trigger. A load brings its own; single requests get a short load before
 * them on the same frontends.
 */
import { join } from "node:path";
import type { Frontend } from "./balancer.ts";
import { envoyKilled, eviction, hcKilled, kubeletRestart, nodeDrain } from "./disturbances.ts";
import { gateways } from "./gateways.ts";
import type { ModeName } from "./modes.ts";
import { type ProbeReport, probe } from "./probe.ts";
import { countsOf, nameOf, type Record, type ScenarioName } from "./record.ts";
import type { Rig } from "./rig.ts";

/** Seconds of success before a trigger. */
export const CLEAN_S = 10;

/** Length of a single request and of a stream, seconds. */
export const LONG_S = 60;

/** A scenario that counts what a load loses. */
export interface LoadPlan {
  readonly name: ScenarioName;
  readonly part?: string;
  /** What happens ten seconds after the begin: a shell command. */
  readonly trigger: string;
  /** Seconds of load after the trigger. */
  readonly after: number;
  /** The load; the trigger goes with the first. */
  readonly loads: readonly (readonly string[])[];
  /** A load that has nothing to do with the trigger: what it loses is counted apart. */
  readonly elsewhere?: readonly string[];
}

/** S1 and S4: one long request through gateway a and one stream through gateway b, whose pods are deleted meanwhile. */
export async function longAndStream(
  rig: Rig,
  repeat: number,
  plots: string,
  seconds = LONG_S,
): Promise<readonly Record[]> {
  const clean = await Promise.all(
    gateways.map((gateway) =>
      probe(["load", rig.balancer.url(gateway), "--rate", "10", "--duration", `${CLEAN_S}s`, "--long-share", "0"]),
    ),
  );
  const unclean = clean.some(({ lost }) => lost > 0) ? [`a request was lost in the ${CLEAN_S} s before`] : [];
  const before = rig.endings.ended.length;
  const hooks = rig.failedHooks();
  const run = async (name: "S1" | "S4", args: readonly string[]) => {
    const plot = `${name}-${rig.mode.name}-${repeat}.svg`;
    return { name, plot, report: await probe(args, join(plots, plot)) };
  };
  const [url, gone] = [rig.balancer.url, rig.deletes.bind(rig)];
  const ran = await Promise.all([
    run("S1", ["long", url("a"), "--seconds", `${seconds}s`, "--trigger", gone("a"), "--trigger-at", "5s"]),
    run("S4", ["stream", url("b"), "--chunks", `${seconds}`, "--trigger", gone("b"), "--trigger-at", "10s"]),
  ]);
  await rig.settled();
  const pods = rig.endings.ended.slice(before);
  return ran.map(({ name, plot, report }) => ({
    scenario: name,
    mode: rig.mode.name,
    repeat,
    ...countsOf([report]),
    words: name === "S1" ? requestWords(report) : streamWords(report, seconds),
    isVoid: [...unclean, ...report.isVoid],
    pods: pods.filter(({ pod }) => pod.startsWith(`gateway-${name === "S1" ? "a" : "b"}-`)),
    failedHooks: rig.failedHooks() - hooks,
    plots: [plot],
  }));
}

/** S2: a pod is deleted under load. */
export function deletion(rig: Rig): LoadPlan {
  return {
    name: "S2",
    trigger: rig.deletes("a"),
    after: rolloutSeconds(rig.mode.name) / 2 + 10,
    loads: mixedLoad(rig),
  };
}

/** S3: both gateways are restarted, one after the other, under load. */
export function rollout(rig: Rig): LoadPlan {
  const one = (gateway: string) => [
    rig.command("rollout", "restart", `deployment/gateway-${gateway}`),
    rig.command("rollout", "status", `deployment/gateway-${gateway}`, "--timeout=240s"),
  ];
  const trigger = gateways.flatMap(one).join(" && ");
  return { name: "S3", trigger, after: rolloutSeconds(rig.mode.name), loads: mixedLoad(rig) };
}

/** S5: there is always a request in flight. */
export function neverQuiet(rig: Rig): LoadPlan {
  const load = ["load", `${rig.balancer.url("http")}/sleep?seconds=4`, "--rate", "10"];
  return { name: "S5", trigger: rig.deletes("a"), after: 50, loads: [load] };
}

/** S8: the pod is evicted, by the API and by a drain of its node. */
export function evictions(rig: Rig): readonly LoadPlan[] {
  const plan = { name: "S8", after: rolloutSeconds(rig.mode.name) / 2 + 10, loads: mixedLoad(rig) } as const;
  return [
    { ...plan, part: "eviction", trigger: eviction(rig) },
    { ...plan, part: "kubectl drain", trigger: nodeDrain(rig) },
  ];
}

/** S9: the kubelet is restarted in the middle of a drain. */
export function restarts(rig: Rig): readonly LoadPlan[] {
  return [{ name: "S9", trigger: kubeletRestart(rig), after: 60, loads: mixedLoad(rig) }];
}

/** S10: a container dies in the middle of a drain. The other gateway has a load of its own, which must not notice. */
export function deaths(rig: Rig): readonly LoadPlan[] {
  const elsewhere = ["load", rig.balancer.url("b"), "--rate", "20", "--seconds", "3s"];
  const plan = { name: "S10", after: 55, loads: mixedLoad(rig), elsewhere } as const;
  const envoy = { ...plan, part: "Envoy killed", trigger: envoyKilled(rig) };
  // A pod that is not opted in has no hc.
  return rig.mode.optedIn ? [{ ...plan, part: "hc killed", trigger: hcKilled(rig) }, envoy] : [envoy];
}

/** Runs a scenario that counts what a load loses. */
export async function underLoad(rig: Rig, plan: LoadPlan, repeat: number, plots: string): Promise<Record> {
  const before = rig.endings.ended.length;
  const hooks = rig.failedHooks();
  const duration = ["--duration", `${CLEAN_S + Math.ceil(plan.after)}s`];
  const run = {
    scenario: plan.name,
    ...(plan.part === undefined ? {} : { part: plan.part }),
    mode: rig.mode.name,
    repeat,
  };
  const name = nameOf(run).replaceAll(" ", "-");
  const files = plan.loads.map((_, index) => `${name}${index === 0 ? "" : `-${index}`}.svg`);
  const elsewhere = plan.elsewhere === undefined ? undefined : probe([...plan.elsewhere, ...duration]);
  const reports = await Promise.all(
    plan.loads.map((load, index) => {
      const trigger = index === 0 ? ["--trigger", plan.trigger, "--trigger-at", `${CLEAN_S}s`] : [];
      return probe([...load, ...duration, ...trigger], join(plots, files[index] ?? ""));
    }),
  );
  await rig.settled();
  const early = reports.slice(1).some(({ losses }) => losses.some(({ atMs }) => atMs < CLEAN_S * 1000));
  const counts = countsOf(reports);
  return {
    ...run,
    ...counts,
    words: `${counts.answered5xx} / ${counts.connectionErrors} of ${counts.started}`,
    ...(elsewhere === undefined ? {} : { lostElsewhere: (await elsewhere).lost }),
    isVoid: [...reports.flatMap(({ isVoid }) => isVoid), ...(early ? ["a request was lost before the trigger"] : [])],
    pods: rig.endings.ended.slice(before),
    failedHooks: rig.failedHooks() - hooks,
    plots: files,
  };
}

/** 100 requests a second: HTTP/1.1 through both modes of HAProxy, half of it one-shot, and HTTP/2; 5 % take 3 s. */
function mixedLoad(rig: Rig): readonly (readonly string[])[] {
  const load = (frontend: Frontend, rate: number, ...more: readonly string[]) => [
    ...["load", rig.balancer.url(frontend), "--rate", `${rate}`, "--seconds", "3s", "--long-share", "0.05"],
    ...more,
  ];
  return [load("http", 60), load("tcp", 20), load("tcp", 20, "--http2", "--connections", "4")];
}

/** Seconds that a rollout of both gateways takes here, with some to spare. */
function rolloutSeconds(mode: ModeName): number {
  switch (mode) {
    case "current":
      return 55;
    case "runbook":
      return 110;
    case "same-node":
      return 70;
    default:
      return 90;
  }
}

/** `200 at 60.01 s`, or how it was lost and when. */
function requestWords({ losses: [loss], latencyMs }: ProbeReport): string {
  if (loss === undefined) return `200 at ${(latencyMs.max / 1000).toFixed(2)} s`;
  return `${loss.text} at ${((loss.atMs - loss.startedMs) / 1000).toFixed(2)} s`;
}

/** `60/60`, or how many of the chunks had come. */
function streamWords({ losses: [loss] }: ProbeReport, chunks: number): string {
  if (loss === undefined) return `${chunks}/${chunks}`;
  const bytes = Number(/after ([0-9,]+) bytes/.exec(loss.text)?.[1]?.replaceAll(",", "") ?? 0);
  return `${chunksIn(bytes, chunks)}/${chunks} (${loss.text})`;
}

/** How many whole lines `chunk 1 of 60`, `chunk 2 of 60`… are in so many bytes. */
function chunksIn(bytes: number, all: number): number {
  let [chunks, length] = [0, 0];
  for (;;) {
    length += `chunk ${chunks + 1} of ${all}\n`.length;
    if (length > bytes) return chunks;
    chunks += 1;
  }
}
