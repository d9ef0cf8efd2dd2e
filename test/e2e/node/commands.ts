/**
 * What tests do with a node that the chart is installed on: commands that must succeed, and pods created under load.
 */
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { type JsonObject, objectAt } from "../../../src/pod/json.ts";
import { type Created, startLoad } from "./load.ts";
import { type ClusterNode, IMAGE } from "./node.ts";

/** The namespace that the chart is installed into. */
export const NAMESPACE = "gracegate-system";

/** Values that name the image of the node. */
export const SET: readonly string[] = ["--set", `image.repository=${IMAGE.repository},image.tag=${IMAGE.tag}`];

/** The end of a helm command that installs or upgrades, once it knows the release. */
export const CHART: readonly string[] = ["--namespace", NAMESPACE, ...SET, "--wait", "--timeout", "120s"];

/** How many pods came to which end. */
export type Counts = Record<Created, number>;

/** The commands on a node; asked for when they run, since a test starts its node later. */
export function commandsOn(node: () => ClusterNode) {
  const kubectl = (args: readonly string[], input?: string): string => {
    const { status, stdout, stderr } = node().kubectl(args, input);
    assert.equal(status, 0, `kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const helm = (args: readonly string[]): string => {
    const { status, stdout, stderr } = node().helm(args);
    const shown = status === 0 ? "" : node().kubectl(["get", "pods,events", "--all-namespaces"]).stdout;
    assert.equal(status, 0, `helm ${args.join(" ")}: ${stderr}\n${shown}`);
    return stdout;
  };
  const apply = (object: JsonObject): void => void kubectl(["apply", "--filename", "-"], JSON.stringify(object));
  return {
    kubectl,
    helm,
    apply,
    namespace: (name: string, labels: JsonObject): void =>
      apply({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } }),
    async settled(): Promise<void> {
      kubectl(["--namespace", NAMESPACE, "rollout", "status", "deployment/gracegate", "--timeout=120s"]);
    },
    async podsIn(namespace: string): Promise<readonly JsonObject[]> {
      const { items } = await node().api.list(`/api/v1/namespaces/${namespace}/pods`, (pod) => pod);
      return items.filter((pod) => objectAt(pod, "metadata").deletionTimestamp === undefined);
    },
    /** Creates pods, ten a second and one after the other, while something happens; prints what became of them. */
    async underLoad(what: string, happen: () => Promise<void>): Promise<Counts> {
      const counts: Counts = { mutated: 0, unmutated: 0, refused: 0, unavailable: 0 };
      // Commands block this process, so the pods are created by another one.
      const load = await startLoad(node().kubeconfig);
      try {
        await wait(500);
        await happen();
      } finally {
        for (const outcome of await load.stop()) counts[outcome]++;
      }
      process.stderr.write(`pods during ${what}: ${JSON.stringify(counts)}\n`);
      return counts;
    },
  };
}
