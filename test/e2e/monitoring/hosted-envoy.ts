/**
 * A gateway pod with a real Envoy on a node that has no image of one: the binary, its libraries and its configuration are
 * in a folder of the host, and the pod mounts it.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { JsonObject } from "../../../src/pod/json.ts";
import { IMAGE } from "../node/node.ts";

/** The port of traffic. */
export const TRAFFIC_PORT = 8081;

const APPLICATION_PORT = 8080;
const MOUNT = "/envoy";
const HCM = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
const ROUTER = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router";

/** Puts into a folder what the pod mounts. */
export function prepareEnvoy(binary: string, folder: string): void {
  // The image's user is not root.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "lib"), { recursive: true });
  copyFileSync(binary, join(folder, "envoy"));
  const { stdout } = spawnSync("ldd", [binary], { encoding: "utf8" });
  for (const [library] of stdout.matchAll(/\/[^ ]+/g)) copyFileSync(library, join(folder, "lib", basename(library)));
  writeFileSync(join(folder, "envoy.json"), JSON.stringify(bootstrap()));
}

/**
 * A gateway of one replica.
 *
 * @param folder of prepareEnvoy
 */
export function hostedGateway(namespace: string, folder: string, annotations: JsonObject): JsonObject {
  const labels = { app: "gateway" };
  const image = `${IMAGE.repository}:${IMAGE.tag}`;
  // The shell is process 1 and hands the signal on. The libraries are this machine's, so its loader goes with them.
  const start = `trap 'kill $!' TERM; ${MOUNT}/lib/ld-linux-x86-64.so.2 --library-path ${MOUNT}/lib ${MOUNT}/envoy -c ${MOUNT}/envoy.json --concurrency 1 & wait`;
  const proxy = {
    name: "istio-proxy",
    image,
    command: ["sh", "-c", start],
    args: ["proxy", "router"],
    volumeMounts: [{ name: "envoy", mountPath: MOUNT, readOnly: true }],
  };
  // It must outlive the drain that is watched.
  const lifecycle = { preStop: { sleep: { seconds: 40 } } };
  const application = { name: "app", image, args: ["probe-target", "--port", String(APPLICATION_PORT)], lifecycle };
  const volumes = [{ name: "envoy", hostPath: { path: folder } }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "gateway", namespace },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations },
        spec: { terminationGracePeriodSeconds: 60, containers: [proxy, application], volumes },
      },
    },
  };
}

/** Istio's names for what hc looks at: the readiness port, the admin port, the listener of traffic. */
function bootstrap(): object {
  return {
    admin: { address: address("127.0.0.1", 15_000) },
    static_resources: {
      listeners: [
        listener(15_021, "agent", { direct_response: { status: 200 } }),
        listener(TRAFFIC_PORT, `outbound_0.0.0.0_${TRAFFIC_PORT};`, { route: { cluster: "app", timeout: "0s" } }),
      ],
      clusters: [
        {
          name: "app",
          type: "STATIC",
          load_assignment: {
            cluster_name: "app",
            endpoints: [{ lb_endpoints: [{ endpoint: { address: address("127.0.0.1", APPLICATION_PORT) } }] }],
          },
        },
      ],
    },
  };
}

function listener(port: number, prefix: string, action: object): object {
  const routes = [{ match: { prefix: "/" }, ...action }];
  return {
    name: `0.0.0.0_${port}`,
    address: address("0.0.0.0", port),
    filter_chains: [
      {
        filters: [
          {
            name: "envoy.filters.network.http_connection_manager",
            typed_config: {
              "@type": HCM,
              stat_prefix: prefix,
              stream_idle_timeout: "0s",
              route_config: { virtual_hosts: [{ name: "all", domains: ["*"], routes }] },
              http_filters: [{ name: "envoy.filters.http.router", typed_config: { "@type": ROUTER } }],
            },
          },
        ],
      },
    ],
  };
}

function address(host: string, port: number): object {
  return { socket_address: { address: host, port_value: port } };
}
