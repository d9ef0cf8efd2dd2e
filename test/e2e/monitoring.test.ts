/**
 * A night in which drains time out, watched: a real Prometheus with the chart's rules scrapes a webhook, hc beside real
 * Envoys, HAProxy, the API server and kube-state-metrics, and must see it.
 *
 * There is no kubelet: pods are objects of the API server with a node's name in them, so that their deletion waits; the
 * gateways are processes that get the kubelet's signals from here.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { freePort, until } from "../integration/hc-process.ts";
import { eventually, type Folder, makeFolder, type WebhookProcess } from "../integration/webhook-process.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { type Balancer, startBalancer } from "./hc/balancer.ts";
import { executables, skip as gatewaySkip, upstream } from "./hc/components.ts";
import { Gateway } from "./hc/gateway.ts";
import { ask } from "./hc/traffic.ts";
import { cacheFolder, debian, etcd, helm, kubernetes } from "./install/components.ts";
import { chromium, kubeStateMetrics, prometheus } from "./install/monitoring.ts";
import { ACCOUNT, bundlesIn, create, install, startReplica } from "./installed.ts";
import { type KubeStateMetrics, startKubeStateMetrics } from "./monitoring/kube-state-metrics.ts";
import { type Answered, page } from "./monitoring/page.ts";
import { dashboardPanels } from "./monitoring/panels.ts";
import { APPLICATION, namespaceOf, PROXY, podOf, reportRunning } from "./monitoring/pods.ts";
import { type Prometheus, startPrometheus, type Target } from "./monitoring/prometheus.ts";
import { apiServerTarget, gatewayTargets, local } from "./monitoring/targets.ts";

const VERSION = "1.35.4";
const NAMESPACE = "edge";
const DRAIN_TIMEOUT = 12;
const EDGE_PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;

const parts = {
  apiserver: kubernetes("kube-apiserver", VERSION),
  etcd: etcd(),
  helm: helm(),
  haproxy: debian("haproxy", ["haproxy"]),
  prometheus: prometheus(),
  kubeStateMetrics: kubeStateMetrics(),
};
const missing = Object.values(parts).find((part) => part.missing !== undefined)?.missing;
const browser = chromium();

/** Of the pictures; not part of the repository. */
const pictures = join(cacheFolder, "dashboard");

describe("a night that is watched", { skip: gatewaySkip || (missing ?? false), timeout: 600_000 }, () => {
  let folder: Folder;
  let api: ApiServer;
  let webhook: WebhookProcess;
  let application: Awaited<ReturnType<typeof upstream>>;
  let balancer: Balancer;
  let kubeState: KubeStateMetrics;
  let watch: Prometheus;
  let targets: readonly Target[];
  /** Its drain times out; it ends as it should all the same. */
  let late: Gateway;
  /** The same, but hc is killed in the middle. */
  let orphan: Gateway;
  let began = 0;
  const answered: Answered[] = [];

  before(async () => {
    folder = await makeFolder();
    api = await startApiServer({ apiserver: parts.apiserver.path, etcd: parts.etcd.path }, [ACCOUNT]);
    const port = await freePort();
    await install(api, parts.helm.path, `localhost:${port}`);
    let registered = "";
    webhook = await startReplica(api, folder, () => registered, ["--port", String(port)]);
    await eventually(async () => /certificate_verified 1/.test(await webhook.metrics()), 30_000);
    [registered = ""] = await bundlesIn(api);
    await create(api, namespaceOf(NAMESPACE, { "gracegate.dev/injection": "enabled" }), "/api/v1/namespaces");
    application = await upstream();
    late = await startGateway();
    orphan = await startGateway();
    balancer = await startBalancer({
      haproxy: parts.haproxy.path,
      servers: [
        { name: "late", ports: late.ports },
        { name: "orphan", ports: orphan.ports },
      ],
      disableOn404: true,
      killsSessions: true,
    });
    kubeState = await startKubeStateMetrics(parts.kubeStateMetrics.path, api.kubeconfig());
    await podsOfGateways();
    targets = [
      {
        job: "gracegate",
        address: local(webhook.metricsPort),
        labels: { namespace: "gracegate-system", pod: "gracegate-0" },
      },
      ...gatewayTargets(NAMESPACE, "late", late.ports),
      ...gatewayTargets(NAMESPACE, "orphan", orphan.ports),
      { job: "haproxy", address: local(balancer.metricsPort) },
      { job: "kube-state-metrics", address: kubeState.address, honorLabels: true },
      apiServerTarget(api.kubeconfig()),
    ];
    watch = await startPrometheus(parts.prometheus.path, targets, globSync("charts/gracegate/files/rules/*.yaml"));
    began = Date.now() / 1000;
  });

  after(async () => {
    await watch?.stop();
    await kubeState?.stop();
    await balancer?.stop();
    await Promise.all([late?.cleanUp(), orphan?.cleanUp()]);
    webhook?.child.kill("SIGKILL");
    await application?.stop(0);
    await api?.stop();
    folder?.remove();
  });

  it("every target is scraped, and Istio's two ports show the gauge that the alert falls back to", async () => {
    await eventually(async () => (await watch.query("up")).length === targets.length, 30_000);
    await eventually(async () => (await watch.query("up == 0")).length === 0, 30_000).catch(() => undefined);
    const down = await watch.query("up == 0");
    assert.deepEqual(
      down.map(({ labels }) => labels.job),
      [],
    );
    const gauges = await watch.query('envoy_http_downstream_rq_active{http_conn_manager_prefix!~"admin|agent|stats"}');
    assert.deepEqual([...new Set(gauges.map(({ labels }) => labels.job))].sort(), ["istio-merged", "istio-raw"]);
  });

  it("pods that are created are counted, and what is wrong with them", async () => {
    for (let round = 0; round < 20; round++) {
      await create(api, podOf(NAMESPACE, `app-${round}`, APPLICATION));
      await ask(balancer.httpPort, "/sleep?seconds=0.05").done;
    }
    const bad = { "gracegate.dev/drain-timeout": "36 sec" };
    await create(api, podOf(NAMESPACE, "bad", APPLICATION, bad));
    await webhook.post("this is no review");
    await watch.alert("GracegateNotices", "firing", { code: "GG101" });
    await watch.alert("GracegateWebhookRefusedCalls", "firing", { reason: "not-a-review" });
  });

  it("a pod of an opted-in namespace that missed injection is on its way to an alert, and the others are not", async () => {
    // Made before the namespace opted in.
    await create(api, namespaceOf("old", {}), "/api/v1/namespaces");
    await create(api, podOf("old", "old", PROXY));
    await reportRunning(api, "old", "old");
    const labels = { "gracegate.dev/injection": "enabled" };
    const path = "/api/v1/namespaces/old";
    await api.call("PATCH", path, { metadata: { labels } }, "application/merge-patch+json");
    await watch.alert("GracegateInjectionMissed", "pending", { namespace: "old", pod: "old" });
    const others = await watch.query('ALERTS{alertname="GracegateInjectionMissed", namespace="edge"}');
    assert.deepEqual(others, []);
  });

  it("IGWDrainTimeoutExceeded fires for the gateway whose drain lasts too long, and so does GracegateFault", async () => {
    const requests = [late, orphan].map(({ ports }) => ask(ports.http, "/sleep?seconds=300"));
    await until("the requests are in flight", async () => (await late.status()).inFlight === 1);
    assert.deepEqual(await watch.query('ALERTS{alertname=~"IGWDrain.*|GracegateFault"}'), []);
    for (const name of ["late", "orphan"]) assert.equal((await api.call("DELETE", `${EDGE_PODS}/${name}`)).status, 200);
    for (const gateway of [late, orphan]) gateway.signalHc("SIGTERM");
    await orphan.reaches("DRAINING");
    orphan.signalHc("SIGKILL");
    await watch.alert("GracegateFault", "firing", { pod: "late", cause: "drain-timeout" });
    await watch.alert("IGWDrainTimeoutExceeded", "firing", { namespace: NAMESPACE, pod: "late" });
    const [first] = await watch.query('ALERTS_FOR_STATE{alertname="IGWDrainTimeoutExceeded", pod="late"}');
    const [draining] = await watch.query('gracegate_hc_seconds_since_drain_began{pod="late"}');
    assert.ok(first !== undefined && (draining?.samples[0]?.[1] ?? 0) > DRAIN_TIMEOUT);
    await askPanels("stat", "bargauge");
    requests[0]?.end();
  });

  it("it fires for the gateway whose hc is dead too, from kube-state-metrics and Envoy's own gauges", async () => {
    await watch.alert("IGWDrainTimeoutExceeded", "firing", { namespace: NAMESPACE, pod: "orphan" });
    assert.deepEqual(await watch.query('gracegate_hc_in_flight{pod="orphan"}'), []);
    orphan.kill();
  });

  it("the drain that timed out is told of after its pod is gone", async () => {
    await late.reaches("CLOSED");
    late.signalAgent("SIGTERM");
    await Promise.all([late.agentExit, late.hcExit]);
    for (const name of ["late", "orphan"]) await api.call("DELETE", `${EDGE_PODS}/${name}?gracePeriodSeconds=0`);
    await eventually(async () => (await watch.query('gracegate_hc_state{pod="late"}')).length === 0);
    await eventually(async () => (await watch.query('ALERTS{alertname="IGWDrainTimeoutExceeded"}')).length === 0);
    await watch.alert("GracegateDrainNotFinished", "firing", { pod: "late", result: "timeout" });
    await watch.alert("GatewayServerDown", "pending", { server: "late" });
  });

  it("every query of the dashboard has an answer that is a number", async () => {
    await askPanels("timeseries", "state-timeline");
    const empty = answered.flatMap(({ panel, answers }) =>
      panel.queries.flatMap(({ expr }, at) =>
        answers[at]?.some(({ samples }) => samples.some(([, value]) => Number.isFinite(value))) ? [] : [expr],
      ),
    );
    assert.deepEqual(empty, []);
    assert.equal(answered.length, dashboardPanels("", "").length);
    const states = answered.find(({ panel }) => panel.drawing === "state-timeline");
    const seen = states?.answers[0]?.find(({ labels }) => labels.pod === "late")?.samples.map(([, value]) => value);
    const path = seen?.filter((value, at) => value !== seen[at - 1]).map((value) => states?.panel.words.get(value));
    assert.deepEqual(path, ["OPEN", "DRAINING", "FAULT", "CLOSING", "CLOSED"]);
  });

  it("its panels are drawn on one page", { skip: browser.missing ?? false }, () => {
    rmSync(pictures, { recursive: true, force: true });
    mkdirSync(pictures, { recursive: true });
    const [html, png] = [join(pictures, "dashboard.html"), join(pictures, "dashboard.png")];
    const order = dashboardPanels("", "").map(({ title }) => title);
    const sorted = answered.toSorted((a, b) => order.indexOf(a.panel.title) - order.indexOf(b.panel.title));
    writeFileSync(html, page(sorted, began, Date.now() / 1000));
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1660,1320"];
    const profile = `--user-data-dir=${join(pictures, "profile")}`;
    const { status, stderr } = spawnSync(browser.path, [...flags, profile, `--screenshot=${png}`, `file://${html}`], {
      encoding: "utf8",
      timeout: 60_000,
    });
    assert.equal(status, 0, stderr);
    assert.ok(existsSync(png) && statSync(png).size > 20_000);
    rmSync(join(pictures, "profile"), { recursive: true, force: true });
    process.stderr.write(`the dashboard's panels: ${png}\n`);
  });

  it("a webhook that cannot be called is seen by the API server's metrics, and is missed", async () => {
    assert.equal(await webhook.stop(), 0);
    await create(api, podOf(NAMESPACE, "alone", APPLICATION));
    await watch.alert("GracegateFailOpen", "firing", { name: "namespace.gracegate.dev" });
    await watch.alert("GracegateWebhookUnseen", "pending");
  });

  it("without its webhook configuration, and then without kube-state-metrics, that is said", async () => {
    const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
    assert.equal(
      (await watch.query('kube_mutatingwebhookconfiguration_info{mutatingwebhookconfiguration=~"gracegate.*"}')).length,
      1,
    );
    await api.call("DELETE", `${path}/gracegate-gracegate-system`);
    await eventually(
      async () =>
        (
          await watch.query(
            'absent(kube_mutatingwebhookconfiguration_info{mutatingwebhookconfiguration=~"gracegate.*"})',
          )
        ).length === 1,
    );
    await kubeState.stop();
    await watch.alert("IGWDrainTimeoutUnseen", "pending", { pod: "" });
  });

  /** Asks the queries of the panels that are drawn in a way, as Grafana would at this moment. */
  async function askPanels(...drawings: readonly string[]): Promise<void> {
    const to = Date.now() / 1000;
    for (const panel of dashboardPanels("10s", "10m").filter(({ drawing }) => drawings.includes(drawing))) {
      const asked = panel.queries.map(({ expr, isInstant }) =>
        isInstant ? watch.query(expr, to) : watch.queryRange(expr, began, to),
      );
      answered.push({ panel, answers: await Promise.all(asked) });
    }
  }

  function startGateway(): Promise<Gateway> {
    const to = { upstreamPort: application.port, upstreamTcpPort: application.tcpPort };
    const env = { DRAIN_TIMEOUT: String(DRAIN_TIMEOUT), LB_BUFFER: "4", GRACE_PERIOD: "90", LB_PROFILE: "haproxy" };
    return Gateway.start({ ...executables, ...to, env });
  }

  /** What the kubelet would have made of the gateways: pods that run. The real webhook is called for them. */
  async function podsOfGateways(): Promise<void> {
    // The API server follows a configuration a moment after it was written.
    const probe = podOf(NAMESPACE, "probe", PROXY);
    const isCalled = async () => {
      const { body } = await api.call("POST", `${EDGE_PODS}?dryRun=All`, probe);
      return JSON.stringify(body).includes('"name":"hc"');
    };
    await eventually(isCalled);
    for (const name of ["late", "orphan"]) {
      await create(api, podOf(NAMESPACE, name, PROXY));
      await reportRunning(api, NAMESPACE, name);
    }
  }
});
