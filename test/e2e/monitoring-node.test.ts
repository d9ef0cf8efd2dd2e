/**
 * The runbook's alert on a real node: a gateway with a real Envoy is deleted with a request in flight, its kubelet drains
 * it, and kube-state-metrics and Prometheus see it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { eventually } from "../integration/webhook-process.ts";
import { executables, skip as gatewaySkip } from "./hc/components.ts";
import { kubeStateMetrics, prometheus } from "./install/monitoring.ts";
import { hostedGateway, prepareEnvoy, TRAFFIC_PORT } from "./monitoring/hosted-envoy.ts";
import { type KubeStateMetrics, startKubeStateMetrics } from "./monitoring/kube-state-metrics.ts";
import { type Prometheus, startPrometheus } from "./monitoring/prometheus.ts";
import { type ClusterNode, IMAGE, nodeComponents } from "./node/node.ts";

/** The chart states this version. */
const VERSION = "1.35.4";
const NAMESPACE = "edge";
const RELEASE = "gracegate-system";

const components = nodeComponents(VERSION);
const [ksm, prom] = [kubeStateMetrics(), prometheus()];
const skip = components.missing ?? ksm.missing ?? prom.missing ?? gatewaySkip;

describe(`the runbook's alert on a node of Kubernetes ${VERSION}`, { skip, timeout: 600_000 }, () => {
  let node: ClusterNode;
  let kubeState: KubeStateMetrics;
  let watch: Prometheus;
  let folder: string;
  let name = "";
  let address = "";

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "gracegate-envoy-"));
    prepareEnvoy(executables.envoy, folder);
    node = components.start();
    for (const [made, labels] of [
      [RELEASE, {}],
      [NAMESPACE, { "gracegate.dev/injection": "enabled" }],
    ] as const) {
      apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: made, labels } });
    }
    const set = ["--set", `image.repository=${IMAGE.repository},image.tag=${IMAGE.tag},replicas=1`];
    const flags = ["--namespace", RELEASE, ...set, "--wait", "--timeout", "120s"];
    const { status, stderr } = node.helm(["install", "gracegate", "charts/gracegate", ...flags]);
    assert.equal(status, 0, stderr);
    apply(hostedGateway(NAMESPACE, folder, { "gracegate.dev/drain-timeout": "12s" }));
    await eventually(async () => {
      const pod = await gateway();
      const status = objectAt(pod, "status");
      const isRunning = objectsAt(status, "containerStatuses").filter(({ ready }) => ready === true).length === 3;
      name = textAt(objectAt(pod, "metadata"), "name") ?? "";
      address = textAt(status, "podIP") ?? "";
      return isRunning && address !== "";
    }, 60_000).catch((error: Error) => {
      const { stdout } = node.kubectl(["--namespace", NAMESPACE, "describe", "pods"]);
      const { stdout: log } = node.kubectl(["--namespace", NAMESPACE, "logs", name, "--container", "istio-proxy"]);
      throw new Error(`${error.message}\n${stdout}\n${log}`);
    });
    kubeState = await startKubeStateMetrics(ksm.path, node.kubeconfig);
    const targets = [
      { job: "hc", address: `${address}:18182`, labels: { namespace: NAMESPACE, pod: name } },
      { job: "kube-state-metrics", address: kubeState.address, honorLabels: true },
    ];
    watch = await startPrometheus(prom.path, targets, ["charts/gracegate/files/rules/kubernetes.yaml"]);
  });

  after(async () => {
    await watch?.stop();
    await kubeState?.stop();
    node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("kube-state-metrics shows the pod with its status, and it is no pod that missed injection", async () => {
    const selector = `namespace="${NAMESPACE}", pod="${name}"`;
    await eventually(async () => (await watch.query(`kube_pod_info{${selector}}`)).length === 1, 30_000);
    const status = `kube_pod_annotations{${selector}, annotation_gracegate_dev_status=~".*gateway.*"}`;
    await eventually(async () => (await watch.query(status)).length === 1, 30_000);
    assert.equal((await watch.query(`kube_namespace_labels{label_gracegate_dev_injection="enabled"}`)).length, 1);
    await eventually(
      async () => (await watch.query(`gracegate_hc_state{${selector}, state="OPEN"} == 1`)).length === 1,
      30_000,
    );
    assert.deepEqual(await watch.query('ALERTS{alertstate="firing"}'), []);
  });

  it("IGWDrainTimeoutExceeded fires when its drain lasts longer than its own timeout, and ends with the pod", async () => {
    const request = get({ host: address, port: TRAFFIC_PORT, path: "/sleep?seconds=300", agent: false });
    request.on("error", () => {});
    await eventually(async () => (await watch.query("gracegate_hc_in_flight == 1")).length === 1, 30_000);
    kubectl(["--namespace", NAMESPACE, "delete", "pod", name, "--wait=false"]);
    await watch.alert("IGWDrainTimeoutExceeded", "firing", { namespace: NAMESPACE, pod: name, severity: "critical" });
    const [deletion] = await watch.query("kube_pod_deletion_timestamp - time()");
    const [drained] = await watch.query("gracegate_hc_seconds_since_drain_began");
    const left = deletion?.samples[0]?.[1] ?? 0;
    process.stderr.write(
      `the alert fired ${drained?.samples[0]?.[1]} s after the drain began; kube_pod_deletion_timestamp was ${left.toFixed(0)} s ahead\n`,
    );
    // The timestamp is the end of the grace period: an alert that counts from it would not have fired.
    assert.ok(left > 0);
    request.destroy();
    const isGone = async () => (await watch.query(`kube_pod_deletion_timestamp{pod="${name}"}`)).length === 0;
    await eventually(isGone, 90_000);
    await eventually(
      async () => (await watch.query('ALERTS{alertname="IGWDrainTimeoutExceeded"}')).length === 0,
      30_000,
    );
  });

  function apply(object: JsonObject): void {
    kubectl(["apply", "--filename", "-"], JSON.stringify(object));
  }

  function kubectl(args: readonly string[], input?: string): void {
    const { status, stderr } = node.kubectl(args, input);
    assert.equal(status, 0, `kubectl ${args.join(" ")}: ${stderr}`);
  }

  async function gateway(): Promise<JsonObject | undefined> {
    const { items } = await node.api.list(`/api/v1/namespaces/${NAMESPACE}/pods`, (pod) => pod);
    return items.find((pod) => objectAt(pod, "metadata").deletionTimestamp === undefined);
  }
});
