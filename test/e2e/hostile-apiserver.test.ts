/**
 * Hostile pods of 1 MiB, created through a real API server, while others create ordinary ones: none of those is missed
 * where the webhook's failure is ignored, and none is refused where it is not.
 *
 * How much slower they get is reported, beside the same with hostile pods that the webhook is not asked about: most of it
 * is the API server, which decodes them on the same cores.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { policyObject } from "../../src/policy/validate.ts";
import { growths } from "../hostile/growth.ts";
import { gatewayPod } from "../integration/pods.ts";
import { type Folder, makeFolder, startWebhook, type WebhookProcess } from "../integration/webhook-process.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { etcd, kubernetes } from "./install/components.ts";
import { registrationOf } from "./registration.ts";

/** Bytes that are added to a pod. */
const BYTES = 1_000_000;
/** Hostile pods for each failure policy, spread over all growths. */
const HOSTILE = 120;
/** Ordinary pods of the quiet run. */
const QUIET = 300;
/** Callers at once, of each kind. */
const CALLERS = 2;
/** The 99th percentile may be this many times that without the webhook: room for a machine that does other things too. */
const MOST_TIMES_SLOWER = 5;

const apiserver = kubernetes("kube-apiserver", "1.35.4");
const etcdServer = etcd();

let folder: Folder;
let webhook: WebhookProcess;
let api: ApiServer;
let count = 0;

describe("hostile pods through a real API server", { skip: apiserver.missing ?? etcdServer.missing ?? false }, () => {
  before(async () => {
    folder = await makeFolder(JSON.stringify(policyObject("default", "shop", { gateway: { requestP99: "20s" } })));
    webhook = await startWebhook(folder, [], {}, "dist/main.js");
    api = await startApiServer({ apiserver: apiserver.path, etcd: etcdServer.path });
    for (const [name, injection] of [
      ["shop", "enabled"],
      ["hostile", "enabled"],
      ["elsewhere", "disabled"],
    ] as const) {
      const metadata = { name, labels: { "gracegate.dev/injection": injection } };
      const answer = await api.call("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
      assert.equal(answer.status, 201);
    }
  });

  after(async () => {
    await api?.stop();
    await webhook?.stop();
    folder?.remove();
  });

  for (const [index, failurePolicy] of (["Ignore", "Fail"] as const).entries()) {
    it(`failurePolicy ${failurePolicy}: every ordinary pod is mutated, in the same seconds too`, async (t) => {
      await register(failurePolicy);
      const quiet: Ordinary[] = [];
      await atOnce(CALLERS, async () => {
        while (quiet.length < QUIET) quiet.push(await ordinary());
      });
      const unasked = await besideHostile("elsewhere", index);
      const calls = await reviewed();
      const { answers, meanwhile } = await besideHostile("hostile", index);
      const seen = (await reviewed()) - calls - meanwhile.length;
      const statuses = [...answers].map(([status, times]) => `${times} × ${status}`).join(", ");
      t.diagnostic(`hostile pods answered ${statuses}; about ${seen} calls of them reached the webhook`);
      const times = (pods: readonly Ordinary[]) =>
        `${p99(pods).toFixed(0)} ms (${(p99(pods) / p99(quiet)).toFixed(1)} ×)`;
      t.diagnostic(
        `p99 of ${meanwhile.length} ordinary pods ${times(meanwhile)}, quiet ${times(quiet)}; beside the same hostile pods ` +
          `where the webhook is not asked about them ${times(unasked.meanwhile)}`,
      );
      assert.ok(seen >= HOSTILE / 3, `only ${seen} calls of hostile pods reached the webhook`);
      assert.ok(meanwhile.length >= 20, `only ${meanwhile.length} ordinary pods in the meantime`);
      const wrong = [...quiet, ...unasked.meanwhile, ...meanwhile].filter(({ outcome }) => outcome !== "mutated");
      assert.deepEqual(
        wrong.map(({ outcome }) => outcome),
        [],
      );
      assert.ok(p99(meanwhile) <= MOST_TIMES_SLOWER * p99(unasked.meanwhile));
      assert.equal(webhook.child.exitCode, null);
      assert.match(await webhook.metrics(), /gracegate_webhook_calls_total\{outcome="error",role="none"\} 0/);
    });
  }
});

/** Creates hostile pods in a namespace, and ordinary ones all the while. */
async function besideHostile(namespace: string, offset: number) {
  const step = Math.ceil(growths.length / HOSTILE);
  const hostile = growths.filter((_, at) => at % step === offset % step);
  const answers = new Map<Status, number>();
  const meanwhile: Ordinary[] = [];
  let left = hostile.length;
  const attack = atOnce(CALLERS, async () => {
    for (let next = hostile.pop(); next !== undefined; next = hostile.pop()) {
      const pod = podOf(next.body(BYTES));
      const status = pod === undefined ? "too deep" : await create(namespace, pod);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      left--;
    }
  });
  const others = atOnce(CALLERS, async () => {
    while (left > 0) meanwhile.push(await ordinary());
  });
  await Promise.all([attack, others]);
  return { answers, meanwhile };
}

interface Ordinary {
  readonly outcome: "mutated" | "missed" | `refused with ${number}`;
  readonly ms: number;
}

/** Creates an ordinary gateway pod, and says what became of it. */
async function ordinary(): Promise<Ordinary> {
  const started = performance.now();
  const path = "/api/v1/namespaces/shop/pods?dryRun=All";
  const { status, body } = await api.call("POST", path, named(gatewayPod({}, "shop"), "shop"));
  const ms = performance.now() - started;
  if (status !== 201) return { outcome: `refused with ${status}`, ms };
  const isMutated = objectsAt(objectAt(body, "spec"), "containers").some(({ name }) => name === "hc");
  return { outcome: isMutated ? "mutated" : "missed", ms };
}

/** What became of a hostile pod: the API server's status, or it was not sent. */
type Status = number | "too deep";

/**
 * What a growth's review asks to create; the review itself is the API server's to make.
 *
 * @returns undefined where it is deeper than can be written: the API server reads no more than 10,000 levels
 */
function podOf(review: string): JsonObject | undefined {
  const pod = objectAt(objectAt(JSON.parse(review) as JsonObject, "request"), "object");
  try {
    JSON.stringify(pod);
    return pod;
  } catch {
    return undefined;
  }
}

async function create(namespace: string, pod: JsonObject): Promise<number> {
  const { status } = await api.call("POST", `/api/v1/namespaces/${namespace}/pods`, named(pod, namespace));
  return status;
}

function named(pod: JsonObject, namespace: string): JsonObject {
  const metadata = { ...objectAt(pod, "metadata"), name: `pod-${++count}`, namespace };
  return { ...pod, apiVersion: "v1", kind: "Pod", metadata };
}

/** Tells the API server of the webhook, and waits until it is called. */
async function register(failurePolicy: "Ignore" | "Fail"): Promise<void> {
  const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  const registration = registrationOf(webhook.port, folder.ca);
  const name = textAt(objectAt(registration, "metadata"), "name");
  await api.call("DELETE", `${path}/${name}`);
  const webhooks = objectsAt(registration, "webhooks").map((entry) => ({ ...entry, failurePolicy }));
  const answer = await api.call("POST", path, { ...registration, webhooks });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  for (let round = 0; round < 100; round++) {
    if ((await ordinary()).outcome === "mutated") return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the API server does not call the webhook");
}

/** Calls that the webhook answered. */
async function reviewed(): Promise<number> {
  const series = /^gracegate_webhook_calls_total\{[^}]*\} ([0-9]+)$/gm;
  return [...(await webhook.metrics()).matchAll(series)].reduce((sum, match) => sum + Number(match[1]), 0);
}

async function atOnce(callers: number, call: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: callers }, call));
}

function p99(pods: readonly Ordinary[]): number {
  const sorted = pods.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
}
