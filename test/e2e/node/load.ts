/**
 * Creates pods that no scheduler takes, ten a second, in a process of its own, and tells what became of each.
 *
 *   node test/e2e/node/load.ts KUBECONFIG      until its input ends
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import type { ClusterApi } from "../../../src/kube/api.ts";
import { objectAt, textAt } from "../../../src/pod/json.ts";
import { apiOf } from "../../integration/cluster-worlds.ts";

/** What became of a pod; unavailable is what the API server itself could not do. */
export type Created = "mutated" | "unmutated" | "refused" | "unavailable";

/** A running load. */
export interface Load {
  stop(): Promise<readonly Created[]>;
}

/** Starts the load; it runs when the first pod has been created. */
export async function startLoad(kubeconfig: string): Promise<Load> {
  const child = spawn(process.execPath, [import.meta.filename, kubeconfig], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = text(child.stdout);
  await Promise.race([once(child.stdout, "data"), lines]);
  return {
    async stop() {
      child.stdin.end();
      return (await lines).split("\n").filter((line) => line !== "") as Created[];
    },
  };
}

/** Creates one pod in the namespace edge. */
export async function createPod(api: ClusterApi): Promise<Created> {
  const answer = await api
    .call("POST", "/api/v1/namespaces/edge/pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { generateName: "load-", labels: { load: "true" } },
      spec: { schedulerName: "nobody", containers: [{ name: "istio-proxy", image: "p", args: ["proxy", "router"] }] },
    })
    .catch(() => undefined);
  if (answer === undefined || answer.status === 429) return "unavailable";
  const message = textAt(answer.body, "message") ?? "";
  // Right after its start the API server says 403 for its own admission plugins.
  if (answer.status === 403 && /not yet ready/.test(message)) return "unavailable";
  if (answer.status !== 201) {
    // Under failurePolicy Fail a webhook that does not answer is a 500 of the API server.
    const isOurs = answer.status < 500 || message.includes("webhook");
    process.stderr.write(`${answer.status} ${message}\n`);
    return isOurs ? "refused" : "unavailable";
  }
  const annotations = objectAt(objectAt(answer.body, "metadata"), "annotations");
  return Object.hasOwn(annotations, "gracegate.dev/status") ? "mutated" : "unmutated";
}

if (process.argv[1] === import.meta.filename) {
  const api = apiOf(process.argv[2] ?? "");
  const stop = new AbortController();
  process.stdin.resume();
  process.stdin.on("end", () => stop.abort());
  while (!stop.signal.aborted) {
    process.stdout.write(`${await createPod(api)}\n`);
    await wait(100, undefined, { signal: stop.signal }).catch(() => undefined);
  }
}
