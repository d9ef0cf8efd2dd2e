/**
 * How the pods of a namespace end: how long each took from its deletion to its disappearance, and with which exit codes.
 * Their logs are followed meanwhile, since the kubelet removes them with the pod.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { Watch } from "@kubernetes/client-node";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../src/pod/json.ts";
import type { ClusterNode } from "../test/e2e/node/node.ts";
import { endsWithUs } from "./children.ts";

/** How one pod ended. */
export interface Ending {
  readonly pod: string;
  /** Seconds from its deletion until it was gone; what the watch saw, so some milliseconds late. */
  readonly seconds: number;
  /** By container. */
  readonly exitCodes: Readonly<Record<string, number>>;
}

/** Watches a namespace. */
export interface Endings {
  /** The pods that are gone. */
  readonly ended: readonly Ending[];
  /** How many are on their way out. */
  readonly leaving: number;
  stop(): void;
}

/** Starts to watch. */
export async function watchEndings(node: ClusterNode, namespace: string, logFolder: string): Promise<Endings> {
  const ended: Ending[] = [];
  const leaving = new Map<string, number>();
  const followed = new Map<string, ChildProcess>();
  const exitCodes = new Map<string, Record<string, number>>();
  const see = (type: string, pod: JsonObject) => {
    const name = textAt(objectAt(pod, "metadata"), "name") ?? "";
    const codes = exitCodes.get(name) ?? {};
    exitCodes.set(name, codes);
    const { containerStatuses: own = [], initContainerStatuses: before = [] } = objectAt(pod, "status");
    for (const status of objectsAt({ all: [own, before].flat() }, "all")) {
      const container = textAt(status, "name") ?? "";
      const { running, terminated } = objectAt(status, "state");
      if (isObject(terminated)) codes[container] = Number(terminated.exitCode);
      const key = `${name}-${container}`;
      if (isObject(running) && !followed.has(key))
        followed.set(key, follow(node, namespace, name, container, logFolder));
    }
    if (objectAt(pod, "metadata").deletionTimestamp !== undefined && !leaving.has(name) && type !== "DELETED") {
      leaving.set(name, performance.now());
    }
    const since = leaving.get(name);
    if (type === "DELETED" && since !== undefined) {
      leaving.delete(name);
      ended.push({ pod: name, seconds: Math.round((performance.now() - since) / 100) / 10, exitCodes: codes });
    }
  };
  const watch = new Watch(node.api.config);
  const path = `/api/v1/namespaces/${namespace}/pods`;
  let isOver = false;
  let current: AbortController | undefined;
  // A watch ends now and then. Each goes on from a list, so that no end of a pod falls between two.
  const again = async (): Promise<void> => {
    if (isOver) return;
    const { items, resourceVersion } = await node.api.list(path, (pod) => pod);
    for (const pod of items) see("ADDED", pod);
    const there = new Set(items.map((pod) => textAt(objectAt(pod, "metadata"), "name")));
    for (const name of leaving.keys()) if (!there.has(name)) see("DELETED", { metadata: { name } });
    const next = () => void setTimeout(() => void again().catch(next), 50);
    current = await watch.watch(path, { resourceVersion }, see, next);
  };
  await again();
  return {
    ended,
    get leaving() {
      return leaving.size;
    },
    stop() {
      isOver = true;
      current?.abort();
      for (const child of followed.values()) child.kill("SIGKILL");
    },
  };
}

function follow(node: ClusterNode, namespace: string, pod: string, container: string, logFolder: string): ChildProcess {
  const file = openSync(join(logFolder, `${namespace}-${pod}-${container}.log`), "a");
  const args = ["--kubeconfig", node.kubeconfig, "-n", namespace, "logs", "--follow", "-c", container, pod];
  const child = endsWithUs(spawn("kubectl", args, { stdio: ["ignore", file, file] }));
  child.on("error", () => {});
  closeSync(file);
  return child;
}
