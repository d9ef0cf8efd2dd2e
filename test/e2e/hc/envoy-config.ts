/**
 * The configuration of a gateway's Envoy: Istio's own bootstrap, with listeners and clusters from files instead of
 * istiod. Names, prefixes and stats are as istiod writes them.
 */

/** Where a gateway listens, and where its traffic goes. */
export interface Routes {
  readonly httpPort: number;
  readonly tcpPort: number;
  readonly upstreamPort: number;
  readonly upstreamTcpPort: number;
}

const HCM = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
const ROUTER = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router";
const TCP_PROXY = "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy";
const LISTENER = "type.googleapis.com/envoy.config.listener.v3.Listener";
const CLUSTER = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

const address = (port: number, host = "127.0.0.1") => ({ socket_address: { address: host, port_value: port } });

/** The listeners: HTTP with HTTP/2 and WebSocket, and TCP. */
export function listeners({ httpPort, tcpPort }: Routes): object {
  const http = {
    "@type": HCM,
    stat_prefix: `outbound_0.0.0.0_${httpPort};`,
    codec_type: "AUTO",
    upgrade_configs: [{ upgrade_type: "websocket" }],
    stream_idle_timeout: "0s",
    route_config: {
      name: `http.${httpPort}`,
      virtual_hosts: [
        {
          name: "app",
          domains: ["*"],
          routes: [
            { match: { prefix: "/" }, route: { cluster: "outbound|80||app.shop.svc.cluster.local;", timeout: "0s" } },
          ],
        },
      ],
    },
    http_filters: [{ name: "envoy.filters.http.router", typed_config: { "@type": ROUTER } }],
  };
  const tcp = {
    "@type": TCP_PROXY,
    stat_prefix: "outbound|9000||app.shop.svc.cluster.local",
    cluster: "outbound|9000||app.shop.svc.cluster.local;",
  };
  return resources([
    listener(httpPort, { name: "envoy.filters.network.http_connection_manager", typed_config: http }),
    listener(tcpPort, { name: "envoy.filters.network.tcp_proxy", typed_config: tcp }),
  ]);
}

/** The clusters: the application's HTTP and its TCP port. */
export function clusters({ upstreamPort, upstreamTcpPort }: Routes): object {
  return resources([
    cluster("outbound|80||app.shop.svc.cluster.local;", upstreamPort),
    cluster("outbound|9000||app.shop.svc.cluster.local;", upstreamTcpPort),
  ]);
}

/** Istio's bootstrap template with the sources of listeners and clusters replaced by files. */
export function bootstrapFrom(template: string, folder: string): string {
  const file = (name: string) => ({
    path_config_source: { path: `${folder}/${name}` },
    resource_api_version: "V3",
    initial_fetch_timeout: "0s",
  });
  const dynamic = JSON.stringify({ lds_config: file("lds.json"), cds_config: file("cds.json") });
  const start = template.indexOf('"dynamic_resources"');
  const end = template.indexOf('"static_resources"');
  return `${template.slice(0, start)}"dynamic_resources": ${dynamic},\n  ${template.slice(end)}`;
}

function listener(port: number, filter: object): object {
  return {
    "@type": LISTENER,
    name: `0.0.0.0_${port}`,
    address: address(port, "0.0.0.0"),
    traffic_direction: "OUTBOUND",
    filter_chains: [{ filters: [filter] }],
  };
}

function cluster(name: string, port: number): object {
  return {
    "@type": CLUSTER,
    name,
    type: "STATIC",
    connect_timeout: "2s",
    circuit_breakers: { thresholds: [{ max_connections: 10_000, max_pending_requests: 10_000, max_requests: 10_000 }] },
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address: address(port) } }] }] },
  };
}

function resources(all: readonly object[]): object {
  return { version_info: "1", resources: all };
}
