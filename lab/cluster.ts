/**
 * The cluster of the lab: a real node, istiod from Istio's charts, Gracegate from its chart, and the application behind
 * the gateways.
 *
 * Upstream's Envoy has none of Istio's own filters, so istiod is told to leave out the two that it adds everywhere and the
 * default telemetry; nothing else of its configuration is changed. The node has no DNS server, so pods find istiod by
 * `hostAliases`.
 */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "../src/pod/json.ts";
import { objectAt, textAt } from "../src/pod/json.ts";
import { type Component, cacheFolder, debian, had, run } from "../test/e2e/install/components.ts";
import { envoy } from "../test/e2e/install/envoy.ts";
import { istiod } from "../test/e2e/install/istiod.ts";
import { ISTIO, pilotAgent } from "../test/e2e/install/pilot-agent.ts";
import { type ClusterNode, IMAGE, type NodeOptions, nodeComponents } from "../test/e2e/node/node.ts";

/** The versions of what is put together. */
export const versions = {
  kubernetes: "1.35.4",
  istio: ISTIO,
  envoy: "1.40.0",
} as const;

/** The namespace of the application. */
const APPLICATION = "shop";

/** A cluster that serves. */
export interface Cluster {
  readonly node: ClusterNode;
  /** Creates or changes objects. */
  apply(...objects: readonly JsonObject[]): void;
  /** Runs kubectl; throws where it fails. */
  kubectl(...args: readonly string[]): string;
  /** What pods need to find istiod. */
  readonly hostAliases: JsonObject;
  /** The application's ClusterIP. */
  readonly applicationAddress: string;
  /** Where NodePorts are reached from outside the node. */
  readonly nodeAddress: string;
  stop(): void;
}

/** What a cluster of the lab is made of. */
export interface ClusterComponents {
  /** The first that cannot be had, and why. */
  readonly missing: string | undefined;
  readonly haproxy: string;
  /**
   * Brings it up.
   *
   * @param image the tar of an image that replaces Gracegate's
   */
  start(say: (line: string) => void, image?: string): Cluster;
}

/** Gets the components; a node of the lab's own number, and an image in a place of its own, unless told otherwise. */
export function clusterComponents(options: NodeOptions = { number: 1, imagePlace: "image-lab" }): ClusterComponents {
  const haproxy = debian("haproxy", ["haproxy"]);
  // First the node: it brings what images are made with.
  const node = nodeComponents(versions.kubernetes, options);
  const agent = pilotAgent(versions.istio);
  const proxy = envoy(versions.envoy);
  const control = istiod(versions.istio);
  const first = [haproxy, node, agent, proxy, control].find(({ missing }) => missing !== undefined)?.missing;
  const images = first === undefined ? istioImages(agent.path, proxy.path, control.path) : { path: "", missing: first };
  const { missing } = images;
  return {
    missing,
    haproxy: haproxy.path,
    start: (say, image) => {
      const tars = [join(images.path, "proxyv2.tar"), join(images.path, "pilot.tar")];
      const started = node.start(image === undefined ? tars : [...tars, image]);
      try {
        return populated(started, control.path, say);
      } catch (error) {
        started.stop();
        throw error;
      }
    },
  };
}

function istioImages(agent: string, proxy: string, istiod: string): Component {
  return had("Istio's images", () => {
    const folder = join(cacheFolder, "istio-images");
    run("bash", [join(import.meta.dirname, "images.sh"), folder, dirname(agent), proxy, istiod]);
    return folder;
  });
}

function populated(node: ClusterNode, istiodFolder: string, say: (line: string) => void): Cluster {
  const kubectl = (args: readonly string[], input?: string) => succeeded("kubectl", args, node.kubectl(args, input));
  const apply = (...objects: readonly JsonObject[]) =>
    void kubectl(["apply", "--filename", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const helm = (...args: readonly string[]) => succeeded("helm", args, node.helm(args));
  const namespace = (name: string, labels: JsonObject = {}) =>
    apply({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });

  say("istiod");
  namespace("istio-system");
  const values = join(node.folder, "istiod-values.yaml");
  writeFileSync(values, JSON.stringify(istiodValues));
  const charts = join(istiodFolder, "charts");
  helm("install", "istio-base", join(charts, "base"), "--namespace", "istio-system");
  const chart = join(charts, "istio-control/istio-discovery");
  helm("install", "istiod", chart, "--namespace", "istio-system", "--values", values);
  say("Gracegate");
  namespace("gracegate-system", { "pod-security.kubernetes.io/enforce": "restricted" });
  const image = `image.repository=${IMAGE.repository},image.tag=${IMAGE.tag}`;
  const wait = ["--wait", "--timeout", "120s"];
  helm("install", "gracegate", "charts/gracegate", "--namespace", "gracegate-system", "--set", image, ...wait);
  kubectl(["--namespace", "istio-system", "rollout", "status", "deployment/istiod", "--timeout=120s"]);
  say("the application");
  namespace(APPLICATION);
  apply(...application());
  kubectl(["--namespace", APPLICATION, "rollout", "status", "deployment/app", "--timeout=120s"]);
  const addressOf = (space: string, service: string) =>
    textAt(objectAt(JSON.parse(kubectl(["-n", space, "get", "service", service, "-o", "json"])), "spec"), "clusterIP");
  return {
    node,
    apply,
    kubectl: (...args) => kubectl(args),
    hostAliases: { ip: addressOf("istio-system", "istiod") ?? "", hostnames: ["istiod.istio-system.svc"] },
    applicationAddress: addressOf(APPLICATION, "app") ?? "",
    nodeAddress: new URL(node.api.config.getCurrentCluster()?.server ?? "").hostname,
    stop: () => node.stop(),
  };
}

function succeeded(command: string, args: readonly string[], ran: ReturnType<ClusterNode["kubectl"]>): string {
  if (ran.status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${ran.status}: ${ran.stderr}`);
  return ran.stdout;
}

const istiodValues = {
  global: {
    hub: "local.test",
    tag: "lab",
    imagePullPolicy: "Never",
    proxy: { resources: { requests: { cpu: "10m", memory: "64Mi" } } },
  },
  autoscaleEnabled: false,
  resources: { requests: { cpu: "50m", memory: "128Mi" } },
  env: { PILOT_ENABLE_METADATA_EXCHANGE: "false", PILOT_ENABLE_ALPN_FILTER: "false" },
  meshConfig: { defaultProviders: { metrics: [] } },
};

/** probe-target, and the way to it for every gateway. */
function application(): readonly JsonObject[] {
  const labels = { app: "app" };
  const container = {
    name: "app",
    image: `${IMAGE.repository}:${IMAGE.tag}`,
    imagePullPolicy: "Never",
    args: ["probe-target", "--port", "8080", "--name", "app"],
    // It is ready once, and for good: on a machine that is too busy a probe without an answer would take the only endpoint
    // away from every gateway, which would then answer 503 by themselves.
    startupProbe: { httpGet: { path: "/counts", port: 8080 }, periodSeconds: 1, failureThreshold: 60 },
    resources: { requests: { cpu: "500m" } },
  };
  const host = `app.${APPLICATION}.svc.cluster.local`;
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "app", namespace: APPLICATION },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "app", namespace: APPLICATION },
      spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
    },
    {
      apiVersion: "networking.istio.io/v1",
      kind: "Gateway",
      metadata: { name: "edge", namespace: APPLICATION },
      spec: {
        selector: { istio: "gateway" },
        servers: [{ port: { number: 8080, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
      },
    },
    {
      apiVersion: "networking.istio.io/v1",
      kind: "VirtualService",
      metadata: { name: "app", namespace: APPLICATION },
      spec: {
        hosts: ["*"],
        gateways: ["edge"],
        http: [{ route: [{ destination: { host, port: { number: 80 } } }] }],
      },
    },
  ];
}
