/**
 * One mode at work: its gateways in the node, its balancer outside.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { objectAt, textAt } from "../src/pod/json.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import type { Cluster } from "./cluster.ts";
import { type Endings, watchEndings } from "./endings.ts";
import { type GatewayName, gatewayObjects, gateways, namespaceOf, policyObject } from "./gateways.ts";
import { DRAIN_TIMEOUT_S, type Mode } from "./modes.ts";
import { until } from "./wait.ts";

/** A mode at work. */
export class Rig {
  readonly mode: Mode;
  readonly balancer: Balancer;
  readonly endings: Endings;
  readonly cluster: Cluster;
  #drainTimeout = DRAIN_TIMEOUT_S;

  private constructor(cluster: Cluster, mode: Mode, balancer: Balancer, endings: Endings) {
    this.cluster = cluster;
    this.mode = mode;
    this.balancer = balancer;
    this.endings = endings;
  }

  /** Creates the gateways and waits until the balancer has them UP. */
  static async start(cluster: Cluster, haproxy: string, mode: Mode, logFolder: string): Promise<Rig> {
    mkdirSync(logFolder, { recursive: true });
    const [space, ...others] = gatewayObjects(mode, DRAIN_TIMEOUT_S, cluster.hostAliases);
    const isPolicy = ({ kind }: { kind?: unknown }) => kind === "GracePolicy";
    cluster.apply(...[space, ...others.filter(isPolicy)].filter((one) => one !== undefined));
    const endings = await watchEndings(cluster.node, namespaceOf(mode), logFolder);
    const address = cluster.nodeAddress;
    const balancer = await startBalancer(haproxy, mode, address, join(logFolder, `haproxy-${mode.name}.log`));
    const rig = new Rig(cluster, mode, balancer, endings);
    await rig.#policyHolds(DRAIN_TIMEOUT_S);
    cluster.apply(...others.filter((one) => !isPolicy(one)));
    await rig.settled();
    return rig;
  }

  /** Lets drains last at most this long from now on; restarts the gateways where that is a change. */
  async limitDrain(seconds: number): Promise<void> {
    const policy = policyObject(this.mode, seconds);
    if (policy === undefined || seconds === this.#drainTimeout) return;
    this.#drainTimeout = seconds;
    this.cluster.apply(policy);
    await this.#policyHolds(seconds);
    for (const gateway of gateways) this.kubectl("rollout", "restart", `deployment/gateway-${gateway}`);
    await this.settled();
  }

  /** Waits until nothing is on its way out, both gateways are Available, and the balancer has them UP. */
  async settled(): Promise<void> {
    await until(`the gateways of ${this.mode.name} are Available`, async () => await this.#areAvailable());
    await until(`old gateways of ${this.mode.name} are gone`, () => this.endings.leaving === 0);
    await this.balancer.allUp();
  }

  kubectl(...args: readonly string[]): string {
    return this.cluster.kubectl("--namespace", namespaceOf(this.mode), ...args);
  }

  /** A shell command for `--trigger`: kubectl in this mode's namespace. */
  command(...args: readonly string[]): string {
    return ["kubectl", "--kubeconfig", this.cluster.node.kubeconfig, "-n", namespaceOf(this.mode), ...args].join(" ");
  }

  /** The shell command that deletes the pod of a gateway. */
  deletes(gateway: GatewayName): string {
    return this.command("delete", "pod", "--selector", `gateway=${gateway}`, "--wait=false");
  }

  /** Events of hooks that failed, so far. */
  failedHooks(): number {
    const found = this.kubectl("get", "events", "--field-selector", "reason=FailedPreStopHook", "--output", "name");
    return found.split("\n").filter((line) => line !== "").length;
  }

  async stop(): Promise<void> {
    this.endings.stop();
    await this.balancer.stop();
  }

  async #areAvailable(): Promise<boolean> {
    const all = gateways.map((gateway) => isAvailable(this.cluster, namespaceOf(this.mode), `gateway-${gateway}`));
    return (await Promise.all(all)).every((one) => one);
  }

  /** The webhook learns of a policy by its watch; a pod that came earlier would have the one before. */
  async #policyHolds(seconds: number): Promise<void> {
    if (!this.mode.optedIn) return;
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { generateName: "dry-run-", labels: { "sidecar.istio.io/inject": "false" } },
      spec: { containers: [{ name: "istio-proxy", image: "none", args: ["proxy", "router"] }] },
    };
    const path = `/api/v1/namespaces/${namespaceOf(this.mode)}/pods?dryRun=All`;
    await until(`the policy of ${this.mode.name} holds`, async () => {
      const { body } = await this.cluster.node.api.call("POST", path, pod);
      const status = textAt(objectAt(objectAt(body, "metadata"), "annotations"), "gracegate.dev/status");
      return status?.includes(`"drainTimeout":${seconds},`) ?? false;
    });
  }
}

/** Whether all pods of a Deployment are of its last template, and Available. */
export async function isAvailable(cluster: Cluster, namespace: string, name: string): Promise<boolean> {
  const { body } = await cluster.node.api.call("GET", `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`);
  const { replicas } = objectAt(body, "spec");
  const status = objectAt(body, "status");
  const isSeen = status.observedGeneration === objectAt(body, "metadata").generation;
  const counts = [status.replicas, status.updatedReplicas, status.availableReplicas];
  return isSeen && replicas !== undefined && counts.every((count) => count === replicas);
}
