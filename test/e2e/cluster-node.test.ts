/**
 * The chart on a real node: installed with the built image, tested, used, restarted and upgraded under load, rolled back
 * and removed.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../src/pod/json.ts";
import { readCluster } from "../../src/sources/kubectl.ts";
import { eventually } from "../integration/webhook-process.ts";
import { CHART, commandsOn, NAMESPACE } from "./node/commands.ts";
import { createPod } from "./node/load.ts";
import { type ClusterNode, IMAGE, nodeComponents } from "./node/node.ts";

/** The chart states this version. */
const VERSION = "1.35.4";

const components = nodeComponents(VERSION);

let node: ClusterNode;
const { kubectl, helm, apply, namespace, settled, podsIn, underLoad } = commandsOn(() => node);

describe(`the chart on a node of Kubernetes ${VERSION}`, {
  skip: components.missing ?? false,
  timeout: 900_000,
}, () => {
  before(() => {
    node = components.start();
    namespace(NAMESPACE, { "pod-security.kubernetes.io/enforce": "restricted" });
    namespace("edge", { "gracegate.dev/injection": "enabled" });
    namespace("elsewhere", {});
    namespace("quota", { "gracegate.dev/injection": "enabled" });
    namespace("limits", { "gracegate.dev/injection": "enabled" });
  });

  after(() => node?.stop());

  it("two replicas become Ready in a restricted namespace", async () => {
    helm(["install", "gracegate", "charts/gracegate", ...CHART]);
    const pods = await podsIn(NAMESPACE);
    assert.equal(pods.length, 2);
    const seconds = pods.map(secondsToReady);
    process.stderr.write(`from a container's start to Ready: ${seconds.join(", ")} s\n`);
    const memory = pods.map((pod) => {
      const name = textAt(objectAt(pod, "metadata"), "name") ?? "";
      const status = kubectl(["--namespace", NAMESPACE, "exec", name, "--", "cat", "/proc/1/status"]);
      return Math.round(Number(/VmRSS:\s+([0-9]+)/.exec(status)?.[1]) / 1024);
    });
    process.stderr.write(`resident memory of the replicas: ${memory.join(", ")} MiB\n`);
    assert.ok(memory.every((mib) => mib < 250));
  });

  it("passes helm test", () => {
    helm(["test", "gracegate", "--namespace", NAMESPACE, "--timeout", "60s"]);
  });

  it("a gateway in a labelled namespace runs with hc", async () => {
    apply(gatewayDeployment("edge"));
    await eventually(async () => (await running("edge")).length === 1, 30_000);
    const [pod] = await running("edge");
    assert.deepEqual(containers(pod), ["istio-proxy", "hc"]);
    const hc = objectsAt(objectAt(pod, "status"), "containerStatuses").find(({ name }) => name === "hc");
    assert.ok(objectAt(objectAt(hc, "state"), "running").startedAt);
    const log = kubectl(["--namespace", "edge", "logs", "deployment/gateway", "--container", "hc"]);
    assert.match(log, /event=start/);
  });

  it("in a namespace without the label it is left alone", async () => {
    apply(gatewayDeployment("elsewhere"));
    await eventually(async () => (await running("elsewhere")).length === 1, 30_000);
    const [pod] = await running("elsewhere");
    assert.deepEqual(containers(pod), ["istio-proxy"]);
    assert.equal(statusOf(pod), undefined);
  });

  it("check --cluster finds its pods right, and reads the kubelet's configuration", async () => {
    const env = { ...process.env, KUBECONFIG: node.kubeconfig };
    const args = ["src/main.ts", "check", "--cluster", "--namespace", "edge", "-o", "json"];
    const ended = spawnSync(process.execPath, args, { env, encoding: "utf8", timeout: 60_000 });
    const found = (JSON.parse(ended.stdout).findings as readonly Record<string, string>[]).map(({ rule }) => rule);
    assert.deepEqual(
      found.filter((rule) => rule?.startsWith("injection-") || rule === "webhook-silent"),
      [],
      ended.stdout,
    );
    process.env.KUBECONFIG = node.kubeconfig;
    const read = await readCluster({ context: undefined, namespace: undefined });
    assert.ok(read.ok);
    const [kubelet] = read.value.filter(({ kind }) => kind === "KubeletConfiguration");
    assert.equal(kubelet?.cgroupDriver, "cgroupfs");
  });

  it("a namespace with a quota on everything takes it", async () => {
    const hard = { "requests.cpu": "4", "limits.cpu": "8", "requests.memory": "4Gi", "limits.memory": "8Gi" };
    apply({ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "all", namespace: "quota" }, spec: { hard } });
    await eventually(async () => {
      const quota = await node.api.call("GET", "/api/v1/namespaces/quota/resourcequotas/all");
      return objectAt(quota.body, "status").hard !== undefined;
    });
    const resources = { requests: { cpu: "10m", memory: "16Mi" }, limits: { cpu: "1", memory: "64Mi" } };
    apply(gatewayDeployment("quota", { resources }));
    await eventually(async () => (await running("quota")).length === 1, 30_000);
    assert.deepEqual(containers((await running("quota"))[0]), ["istio-proxy", "hc"]);
  });

  it("a namespace with a LimitRange takes it", async () => {
    const limit = {
      type: "Container",
      default: { cpu: "1", memory: "128Mi" },
      defaultRequest: { cpu: "10m", memory: "16Mi" },
      max: { cpu: "2", memory: "512Mi" },
    };
    apply({
      apiVersion: "v1",
      kind: "LimitRange",
      metadata: { name: "all", namespace: "limits" },
      spec: { limits: [limit] },
    });
    apply(gatewayDeployment("limits"));
    await eventually(async () => (await running("limits")).length === 1, 30_000);
    assert.deepEqual(containers((await running("limits"))[0]), ["istio-proxy", "hc"]);
  });

  it("tells whoever applies a Deployment what is wrong in its template", () => {
    const deployment = gatewayDeployment("edge", {}, { "gracegate.dev/drain-timeout": "36 sec" });
    const { stderr } = node.kubectl(["apply", "--dry-run=server", "--filename", "-"], JSON.stringify(deployment));
    assert.match(stderr, /Warning: gracegate.dev\/drain-timeout: "36 sec" is not a duration/);
  });

  it("a rollout restart of the webhook loses no pod", async () => {
    const counts = await underLoad("rollout restart", async () => {
      kubectl(["--namespace", NAMESPACE, "rollout", "restart", "deployment/gracegate"]);
      await wait(500);
      await settled();
      await wait(7000);
    });
    assert.equal(counts.unmutated, 0);
    assert.equal(counts.refused, 0);
  });

  for (const policy of ["Ignore", "Fail"] as const) {
    it(`a replica that is deleted loses no pod under failurePolicy ${policy}`, async () => {
      helm(["upgrade", "gracegate", "charts/gracegate", ...CHART, "--set", `webhook.failurePolicy=${policy}`]);
      await wait(1000);
      const counts = await underLoad(`a replica deleted, ${policy}`, async () => {
        const [victim] = await podsIn(NAMESPACE);
        const name = textAt(objectAt(victim, "metadata"), "name") ?? "";
        kubectl(["--namespace", NAMESPACE, "delete", "pod", name, "--wait=false"]);
        await wait(500);
        await settled();
        await wait(7000);
      });
      assert.equal(counts.refused, 0);
      assert.equal(counts.unmutated, 0);
    });
  }

  it("a replica that is killed without a warning refuses no pod under failurePolicy Ignore", async () => {
    helm(["upgrade", "gracegate", "charts/gracegate", ...CHART]);
    await wait(1000);
    const counts = await underLoad("a replica killed, Ignore", async () => {
      const [victim] = await podsIn(NAMESPACE);
      const name = textAt(objectAt(victim, "metadata"), "name") ?? "";
      kubectl(["--namespace", NAMESPACE, "delete", "pod", name, "--force", "--grace-period=0", "--wait=false"]);
      await wait(500);
      await settled();
      await wait(3000);
    });
    assert.equal(counts.refused, 0);
    // Calls to an address that nobody answers at any more are over in the time-out; kube-proxy needs about a second.
    assert.ok(counts.unmutated <= 3, `${counts.unmutated} pods were missed`);
  });

  it("an upgrade from the chart before, and the way back, lose no pod", async () => {
    const before = previousChart();
    const to = (chart: string, more: readonly string[] = []) => {
      helm(["upgrade", "gracegate", chart, ...CHART, ...more]);
    };
    try {
      // The image is the new one in both, since an old one is nowhere. The annotation makes a rollout of the way to the new chart.
      to(before.path, ["--set", "podAnnotations.chart=before"]);
      const counts = await underLoad(`upgrade from ${before.name}, and rollback`, async () => {
        // helm does not upgrade CRDs: as docs/cluster.md says, they go first.
        const crd = ["--filename", "charts/gracegate/crds/gracepolicies.yaml"];
        kubectl(["apply", "--server-side", "--force-conflicts", ...crd]);
        to("charts/gracegate");
        await wait(7000);
        helm(["rollback", "gracegate", "--namespace", NAMESPACE, "--wait", "--timeout", "120s"]);
        await wait(7000);
      });
      assert.equal(counts.unmutated, 0);
      assert.equal(counts.refused, 0);
    } finally {
      before.remove();
    }
  });

  it("after an uninstall pods are created untouched, and nothing is left but CRD, policies of others and Secret", async () => {
    const counts = await underLoad("uninstall", async () => {
      helm(["uninstall", "gracegate", "--namespace", NAMESPACE, "--wait", "--timeout", "120s"]);
      await wait(1000);
    });
    assert.equal(counts.refused, 0);
    assert.equal(await createPod(node.api), "unmutated");
    for (const kind of [
      "mutatingwebhookconfigurations",
      "validatingwebhookconfigurations",
      "clusterroles",
      "clusterrolebindings",
    ]) {
      assert.doesNotMatch(kubectl(["get", kind, "--output", "name"]), /gracegate/);
    }
    const left = kubectl([
      "--namespace",
      NAMESPACE,
      "get",
      "all,secrets,roles,rolebindings,gracepolicies",
      "--output",
      "name",
    ]);
    assert.deepEqual(
      left
        .trim()
        .split("\n")
        .filter((line) => !line.startsWith("pod/")),
      ["secret/gracegate-tls"],
    );
  });

  it("installs again over what an uninstall left", () => {
    helm(["install", "gracegate", "charts/gracegate", ...CHART]);
    helm(["test", "gracegate", "--namespace", NAMESPACE, "--timeout", "60s"]);
  });
});

async function running(namespace: string): Promise<readonly JsonObject[]> {
  const isRunning = (pod: JsonObject) =>
    objectsAt(objectAt(pod, "status"), "containerStatuses").every(
      ({ state }) => objectAt({ state: state ?? {} }, "state").running,
    );
  return (await podsIn(namespace)).filter(
    (pod) => textAt(objectAt(pod, "status"), "phase") === "Running" && isRunning(pod),
  );
}

function containers(pod: JsonObject | undefined): readonly unknown[] {
  return objectsAt(objectAt(pod, "spec"), "containers").map(({ name }) => name);
}

function statusOf(pod: JsonObject | undefined): string | undefined {
  return textAt(objectAt(objectAt(pod, "metadata"), "annotations"), "gracegate.dev/status");
}

function secondsToReady(pod: JsonObject): number {
  const status = objectAt(pod, "status");
  const [container] = objectsAt(status, "containerStatuses");
  const started = textAt(objectAt(objectAt(container, "state"), "running"), "startedAt") ?? "";
  const ready = objectsAt(status, "conditions").find(({ type }) => type === "Ready");
  return (Date.parse(textAt(ready, "lastTransitionTime") ?? "") - Date.parse(started)) / 1000;
}

/** A gateway whose proxy is a stand-in that ends on SIGTERM. */
function gatewayDeployment(namespace: string, more: JsonObject = {}, annotations: JsonObject = {}): JsonObject {
  const labels = { app: "gateway" };
  const proxy = {
    name: "istio-proxy",
    image: `${IMAGE.repository}:${IMAGE.tag}`,
    command: ["sh", "-c", "trap 'exit 0' TERM; while :; do sleep 1; done"],
    args: ["proxy", "router"],
    ...more,
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "gateway", namespace },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec: { containers: [proxy] } },
    },
  };
}

/** The chart as it was in the commit before the last one that changed it; itself, where the clone has no such commit. */
function previousChart(): { readonly path: string; readonly name: string; remove(): void } {
  const git = (...args: string[]) => spawnSync("git", args, { encoding: "utf8" }).stdout.trim();
  const [, before] = git(
    "log",
    "-2",
    "--format=%H",
    "--",
    "charts/gracegate/templates",
    "charts/gracegate/values.yaml",
  ).split("\n");
  if (before === undefined)
    return { path: "charts/gracegate", name: "itself (the clone has no commit before)", remove: () => {} };
  const folder = mkdtempSync(join(tmpdir(), "gracegate-chart-"));
  spawnSync("bash", ["-c", `git archive ${before} charts/gracegate | tar -x -C ${folder}`]);
  return {
    path: join(folder, "charts/gracegate"),
    name: before.slice(0, 8),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
