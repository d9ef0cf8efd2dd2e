/**
 * The page docs/evidence.md, from the run that is kept in docs/evidence/run.json. `make lab` writes that file where it is
 * asked to (`--publish`), with two plots; `make generate` makes the page.
 */
import { modes } from "./modes.ts";
import { killedIn, type Record, startedIn } from "./record.ts";
import { goneAfter, linesOf, medianAndWorst, shown } from "./table.ts";

/** A run as it is kept. */
export interface Run {
  readonly startedAt: string;
  /** Minutes that it took. */
  readonly minutes: number;
  /** What was run, by name. */
  readonly versions: Readonly<{ [name: string]: string }>;
  readonly machine: string;
  /** The fault that was planted. */
  readonly fault?: string;
  readonly records: readonly Record[];
}

/** What the runbook's authors saw on their cluster, before and after. */
const RUNBOOK: Readonly<{ [scenario: string]: readonly [current: string, improved: string] }> = {
  S1: ["502 at 8.25 s", "200 at 60.01 s"],
  S3: ["5xx 0, connection errors 9", "0, 0"],
  S4: ["12/60", "59/60"],
};

/** What each scenario does. */
const WHAT: Readonly<{ [scenario: string]: string }> = {
  S1: "one request of 60 s, its gateway's pod deleted at 5 s",
  S2: "a pod deleted under 100 requests/s",
  S3: "both gateways restarted, one after the other, under 100 requests/s",
  S4: "one stream of 60 chunks in 60 s, its gateway's pod deleted at 10 s",
  S5: "a pod deleted under steady requests of 4 s, so that there is always one in flight",
  S6: "an application with requests of 20 s behind a sidecar, rolled; the caller is in the mesh too",
  S7: "an application that calls out in its first millisecond",
  S8: "a pod evicted by the API, and by `kubectl drain`, under 100 requests/s",
  S9: "the kubelet killed in the middle of a drain and started again, under 100 requests/s",
  S10: "a container killed in the middle of a drain, under 100 requests/s",
};

/**
 * The page.
 *
 * @param faulty runs with a fault planted in hc
 */
export function evidence(run: Run, faulty: readonly Run[]): string {
  const names = [...new Set(run.records.map(({ scenario }) => scenario))].sort((a, b) => numberOf(a) - numberOf(b));
  return `${[
    "# The experiment",
    "",
    "Made by `make generate` from docs/evidence/run.json, which `make lab` wrote. Do not edit.",
    "",
    "The runbook's experiment, repeated on one machine with real parts: a node of Kubernetes with kubelet and kube-proxy, istiod",
    "and its injector, gateways of pilot-agent and Envoy, Gracegate from its chart and image, and HAProxy outside the node.",
    "`gracegate probe` sends the requests, never retries, and counts every way to lose one ([probe.md](probe.md)).",
    "",
    `Run of ${run.startedAt.slice(0, 10)}, ${Math.round(run.minutes)} minutes, on ${run.machine}. ${versionsOf(run)}.`,
    "",
    ...beside(run),
    "",
    "## Everything",
    "",
    "Requests and what was lost are sums of the runs, 5xx and connection errors those of the median run (and of the worst). *Gone after*",
    "is how long pods took from their deletion to their end, with SIGKILL where a container ended by it: in S10 hc does, by the lab.",
    "(Where the lab kills Envoy, pilot-agent is what the container ends with.)",
    "",
    ...fullTable(run.records),
    "",
    ...names.map((name) => `- **${name}**: ${WHAT[name]}.`),
    "",
    ...modes.map(({ name, says }) => `- **${name}**: ${says}.`),
    "",
    "HAProxy checks every 500 ms, fall 2, rise 2, with `on-marked-down shutdown-sessions` and no retries: DOWN cuts everything. `runbook`",
    "saves long requests, and still loses some of a load that never pauses: without a drain answer new ones come until DOWN. What helps",
    "is a replacement on the same node, a drain answer ([lb-profiles.md](lb-profiles.md)), or a balancer that keeps sessions.",
    "",
    "`same-node`, for teams that may not touch the balancer, runs in S2 and S3; `improved-no-min-ready` in S3, to show what",
    "`minReadySeconds` is for. S6 and S7 have no balancer, so `runbook` would be `improved`; a native sidecar loses little in `current`,",
    "since it outlives its application by itself.",
    "",
    "S10 is a crash, and costs what is in flight at that gateway. `current` has no hc to kill, and HAProxy asks the proxy itself. In",
    "`runbook` HAProxy goes on sending when Envoy dies, until hc is sure of it (three looks over 3 s) and HAProxy has it DOWN. Where hc",
    "dies nobody ends the proxy, which by itself waits until the last idle connection has gone.",
    "",
    "![S3 in current](evidence/S3-current.svg)",
    "",
    "![S3 in improved](evidence/S3-improved.svg)",
    "",
    ...red(faulty),
    "## Repeat it",
    "",
    "    make lab                                                     # as root, on Linux; builds what it needs on first use",
    "    node lab/main.ts --only S1,S3 --modes improved --repeat 1    # some of it",
    "    node lab/main.ts --fault close-at-once                       # a fault planted in hc: the table turns red",
    "    node lab/main.ts --publish && make generate                  # this page",
    "",
    "It leaves nothing behind but lab/results: run.json, a plot of each run, and the logs of all pods and balancers. It ends with 1",
    "where `improved` or `same-node` lost anything (but in S10), a container of an opted-in gateway was killed or its hook failed (but in",
    "S10), S3's gateways were slow to end, the gateway beside S10's lost anything, or `runbook` lost in S1 or S4. And where the rig",
    "proves nothing: a request was lost before the trigger, or `current` lost none, or for another reason than the runbook's.",
    "",
    "What differs from the cluster of the runbook: one node instead of two (two Deployments with a NodePort each stand for them);",
    "upstream's Envoy instead of Istio's build, so istiod leaves out its metadata exchange, ALPN filter and default telemetry; no DNS",
    "server, so pods find istiod by `hostAliases`. `node lab/fast.ts` is a variant of a minute without node and istiod.",
  ].join("\n")}\n`;
}

/** What the table is where hc is wrong. */
function red(faulty: readonly Run[]): readonly string[] {
  if (faulty.length === 0) return [];
  return [
    "## Where hc is wrong",
    "",
    "The same in `improved` with a fault planted in hc: `close-at-once` says 503 from the first moment of a drain, `blind-zero` reads",
    "whatever is in flight as 0.",
    "",
    "| fault | scenario | requests | 5xx | connection errors | shown |",
    "| --- | --- | --- | --- | --- | --- |",
    ...faulty.flatMap(({ fault, records }) =>
      linesOf(records).map(({ scenario, runs }) => {
        const requests = startedIn(runs).toLocaleString("en");
        const [bad, broken] = [runs.map((one) => one.answered5xx), runs.map((one) => one.connectionErrors)];
        return `| ${[fault, scenario, requests, medianAndWorst(bad), medianAndWorst(broken), shown(runs)].join(" | ")} |`;
      }),
    ),
    "",
  ];
}

function beside({ records }: Run): readonly string[] {
  const here = (scenario: string, mode: string) => {
    const runs = records.filter((record) => record.scenario === scenario && record.mode === mode);
    if (runs.length === 0) return "not run";
    if (scenario !== "S3") return shown(runs);
    const requests = Math.min(...runs.map(({ started }) => started));
    const of = (what: (record: Record) => number) => medianAndWorst(runs.map(what));
    return `5xx ${of((one) => one.answered5xx)}, connection errors ${of((one) => one.connectionErrors)}; ${runs.length} runs of ${requests.toLocaleString("en")} requests`;
  };
  return [
    "| | the runbook's cluster, before | here, `current` | the runbook's cluster, after | here, `improved` |",
    "| --- | --- | --- | --- | --- |",
    ...Object.entries(RUNBOOK).map(
      ([name, [current, improved]]) =>
        `| ${name}: ${WHAT[name]} | ${current} | ${here(name, "current")} | ${improved} | ${here(name, "improved")} |`,
    ),
  ];
}

function fullTable(records: readonly Record[]): readonly string[] {
  return [
    "| scenario | mode | runs | requests | 5xx | connection errors | shown | gone after |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...linesOf(records).map(({ scenario, mode, runs }) => {
      const cells = [
        scenario,
        mode,
        runs.length,
        startedIn(runs).toLocaleString("en"),
        medianAndWorst(runs.map((one) => one.answered5xx)),
        medianAndWorst(runs.map((one) => one.connectionErrors)),
        shown(runs),
        `${goneAfter(runs)}${runs.some(killedIn) ? ", SIGKILL" : ""}`,
      ];
      return `| ${cells.join(" | ")} |`;
    }),
  ];
}

function versionsOf({ versions }: Run): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}

function numberOf(name: string): number {
  return Number(name.slice(1));
}
