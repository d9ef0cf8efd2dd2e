/**
 * The chart on a real node, by its Service and kube-proxy, in the worst of times: certificates and authority are renewed, a
 * replica is killed, the API server restarts; and under failurePolicy Fail, no replica at all, and an uninstallation.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { objectAt, textAt } from "../../src/pod/json.ts";
import { eventually } from "../integration/webhook-process.ts";
import { CHART, type Counts, commandsOn, NAMESPACE } from "./node/commands.ts";
import { createPod } from "./node/load.ts";
import { type ClusterNode, nodeComponents } from "./node/node.ts";

/** The chart states this version. */
const VERSION = "1.35.4";

/** A minute: renewed about every forty seconds. */
const SHORT = ["--set-json", `certificates.certificateDays=${60 / 86_400}`];
const FAIL = ["--set", "webhook.failurePolicy=Fail"];
const RELEASE = ["gracegate", "charts/gracegate"];
const CONFIGURATIONS = "mutatingwebhookconfiguration,validatingwebhookconfiguration";

const components = nodeComponents(VERSION);

let node: ClusterNode;
const { kubectl, helm, namespace, settled, podsIn, underLoad } = commandsOn(() => node);

describe(`the chart in trouble, on a node of Kubernetes ${VERSION}`, {
  skip: components.missing ?? false,
  timeout: 900_000,
}, () => {
  before(() => {
    node = components.start();
    namespace(NAMESPACE, { "pod-security.kubernetes.io/enforce": "restricted" });
    namespace("edge", { "gracegate.dev/injection": "enabled" });
    helm(["install", ...RELEASE, ...CHART, ...SHORT]);
  });

  after(() => node?.stop());

  it("misses no pod of 500 while certificates and authority are renewed, a replica is killed and the API server restarts", async () => {
    const authority = secret("ca.crt");
    const certificates = new Set([secret("tls.crt")]);
    // Deleting the Secret asks for another authority: announced at once, switched to after a minute.
    const announced = await underLoad("announcing an authority", async () => {
      kubectl(["--namespace", NAMESPACE, "delete", "secret", "gracegate-tls"]);
      await eventually(() => secret("next-ca.crt") !== "", 20_000);
      certificates.add(secret("tls.crt"));
      await wait(5000);
    });
    const killed = await underLoad("a replica killed meanwhile", async () => {
      const [victim] = await podsIn(NAMESPACE);
      const name = textAt(objectAt(victim, "metadata"), "name") ?? "";
      kubectl(["--namespace", NAMESPACE, "delete", "pod", name, "--force", "--grace-period=0", "--wait=false"]);
      await wait(500);
      await settled();
      certificates.add(secret("tls.crt"));
      await wait(3000);
    });
    const switched = await underLoad("the switch to it, and a restart of the API server", async () => {
      await eventually(() => secret("ca.crt") !== authority, 120_000);
      certificates.add(secret("tls.crt"));
      await wait(3000);
      node.restartApiServer();
      await wait(2000);
      await eventually(() => {
        certificates.add(secret("tls.crt"));
        return certificates.size > 2;
      }, 90_000);
      await wait(3000);
    });
    assert.deepEqual([announced.refused, killed.refused, switched.refused], [0, 0, 0]);
    assert.deepEqual([announced.unmutated, switched.unmutated], [0, 0]);
    // Calls to an address that nobody answers at any more are over in the time-out; kube-proxy needs about a second.
    assert.ok(killed.unmutated <= 3, `${killed.unmutated} pods were missed`);
    assert.ok(announced.mutated + killed.mutated + switched.mutated >= 500, "fewer than 500 pods");
  });

  it("under failurePolicy Fail, pods are refused while both replicas are dead, never missed, and come again by themselves", async () => {
    helm(["upgrade", ...RELEASE, ...CHART, ...FAIL]);
    await wait(1000);
    const counts = await underLoad("both replicas killed, Fail", async () => {
      kubectl(["--namespace", NAMESPACE, "delete", "pods", "--all", "--force", "--grace-period=0", "--wait=false"]);
      await wait(500);
      await settled();
      await wait(3000);
    });
    assert.equal(counts.unmutated, 0);
    assert.ok(counts.refused > 0, "nothing was refused, though no replica lived");
    assert.ok(counts.mutated > 10);
    assert.equal(await createPod(node.api), "mutated");
  });

  it("under failurePolicy Fail, an uninstallation in the documented order refuses no pod", async () => {
    const counts = await underLoad("uninstall, Fail, configurations first", async () => {
      kubectl(["delete", CONFIGURATIONS, `gracegate-${NAMESPACE}`]);
      helm(["uninstall", "gracegate", "--namespace", NAMESPACE, "--wait", "--timeout", "120s"]);
      await wait(1000);
    });
    assert.equal(counts.refused, 0);
    await isGone(counts);
  });

  it("under failurePolicy Fail, one in helm's order ends with pods that can be created", async () => {
    helm(["install", ...RELEASE, ...CHART, ...FAIL]);
    const counts = await underLoad("uninstall, Fail, in helm's order", async () => {
      helm(["uninstall", "gracegate", "--namespace", NAMESPACE, "--wait", "--timeout", "120s"]);
      await wait(1000);
    });
    await isGone(counts);
  });
});

async function isGone(counts: Counts): Promise<void> {
  assert.ok(counts.mutated > 0, "no pod was created before");
  assert.ok(counts.unmutated > 0, "no pod was created after the end");
  assert.equal(await createPod(node.api), "unmutated");
  assert.doesNotMatch(kubectl(["get", CONFIGURATIONS, "--output", "name"]), /gracegate/);
}

/** A text of the Secret; empty where it is not there. */
function secret(key: string): string {
  const template = `{{ index .data "${key}" }}`;
  const { status, stdout } = node.kubectl([
    "--namespace",
    NAMESPACE,
    "get",
    "secret",
    "gracegate-tls",
    "--output",
    `go-template=${template}`,
  ]);
  return status === 0 && stdout !== "<no value>" ? stdout : "";
}
