/**
 * What 10,000 policies in 1,000 namespaces of a real API server cost a replica: time until it is ready, memory, how long a
 * change takes to arrive, and whether an admission takes longer than with one policy.
 *
 *   npm run build && node bench/cluster.ts [--policies 10000]
 *
 * Bars (SPEC 16, issue 6): RSS ≤ 250 MiB, ready within 3 s of the start of the process, latency that does not grow.
 */
import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import type { JsonObject } from "../src/pod/json.ts";
import { policyObject } from "../src/policy/validate.ts";
import { type ApiServer, startApiServer } from "../test/e2e/api-server.ts";
import { etcd, kubernetes } from "../test/e2e/install/components.ts";
import { gatewayPod, patchOf, reviewText } from "../test/integration/pods.ts";
import { makeFolder, startWebhook, type WebhookProcess } from "../test/integration/webhook-process.ts";

const { values } = parseArgs({ options: { policies: { type: "string", default: "10000" } } });
const total = Number(values.policies);
const NAMESPACES = 1000;
const CALLS = 3000;

const folder = await makeFolder();
const api = await startApiServer({ apiserver: kubernetes("kube-apiserver", "1.35.4").path, etcd: etcd().path });
try {
  const crd = parse(readFileSync("charts/gracegate/crds/gracepolicies.yaml", "utf8")) as JsonObject;
  await api.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
  while ((await api.call("GET", "/apis/gracegate.dev/v1alpha1/gracepolicies")).status !== 200) await wait(50);
  await put(api, 0);
  const one = await measure("1 policy");
  process.stderr.write(`making ${total} policies\n`);
  await inParallel(total, (index) => put(api, index));
  const many = await measure(`${total} policies in ${NAMESPACES} namespaces`);
  print(`latency with ${total} policies ÷ with one: ${(many.medianMs / one.medianMs).toFixed(2)}`);
} finally {
  await api.stop();
  folder.remove();
}

async function measure(what: string): Promise<{ medianMs: number }> {
  const started = performance.now();
  // As image/gracegate starts it.
  const environment = { KUBECONFIG: api.kubeconfig(), NODE_OPTIONS: "--max-semi-space-size=4" };
  const flags = ["--policy", "cluster", "--log-level", "error"];
  const webhook = await startWebhook(folder, flags, environment, "dist/main.js");
  try {
    while ((await webhook.get("/readyz")).status !== 200) await wait(10);
    const readyMs = performance.now() - started;
    const medianMs = await latency(webhook);
    const arrivalMs = await arrival(webhook);
    await wait(1000);
    print(
      `${what}: ready after ${Math.round(readyMs)} ms, RSS ${rss(webhook)} MiB, median admission ${medianMs.toFixed(2)} ms, a change arrives after ${Math.round(arrivalMs)} ms`,
    );
    return { medianMs };
  } finally {
    await webhook.stop();
  }
}

/** Median time of an admission over one connection, milliseconds. */
async function latency(webhook: WebhookProcess): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const started = performance.now();
    await webhook.post(reviewText(gatewayPod({}, "measured")), {}, agent);
    times.push(performance.now() - started);
  }
  agent.destroy();
  return times.toSorted((a, b) => a - b)[CALLS / 2] ?? 0;
}

/** Time from the API server's answer to a change until an admission has it, milliseconds. */
async function arrival(webhook: WebhookProcess): Promise<number> {
  const drainTimeout = 100 + Math.floor(Math.random() * 100);
  await put(api, 0, drainTimeout);
  const started = performance.now();
  for (;;) {
    const answer = await webhook.post(reviewText(gatewayPod({}, "measured")));
    if (JSON.stringify(patchOf(answer)).includes(`${drainTimeout}s`)) return performance.now() - started;
    await wait(5);
  }
}

function rss({ child }: WebhookProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+([0-9]+)/.exec(status)?.[1]) / 1024);
}

async function put(to: ApiServer, index: number, drainTimeout = 36): Promise<void> {
  // The measured namespace has one policy, whatever the others have.
  const namespace = index === 0 ? "measured" : `team-${index % NAMESPACES}`;
  await to.call("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const name = `policy-${Math.floor(index / NAMESPACES)}`;
  // Nine of ten are for some pods only, none of which the measured pod is.
  const selector = index < NAMESPACES ? {} : { selector: { matchLabels: { app: `app-${index}` } } };
  const path = `/apis/gracegate.dev/v1alpha1/namespaces/${namespace}/gracepolicies/${name}?fieldManager=bench&force=true`;
  const answer = await to.call(
    "PATCH",
    path,
    policyObject(name, namespace, { ...selector, gateway: { drainTimeout } }),
  );
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
