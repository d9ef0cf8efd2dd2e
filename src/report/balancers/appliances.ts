/**
 * HAProxy, NetScaler, F5, NGINX Plus and Envoy: balancers that people run themselves.
 */
import type { BalancerText, CheckSettings } from "./settings.ts";

/** HAProxy. `disable-on-404` is what makes 404 the drain answer; without it a 404 is a failed check. */
export function haproxy(check: CheckSettings): BalancerText {
  const drains = check.drainAnswer?.status === 404;
  return block("HAProxy", "haproxy", [
    "backend gateways",
    `    option httpchk GET ${check.path}`,
    ...(drains ? ["    http-check disable-on-404   # 404: no new requests, the old ones stay"] : []),
    `    timeout check ${check.timeout}s`,
    `    default-server port ${check.nodePort} inter ${check.interval}s fall ${check.fall} rise ${check.rise}`,
    "    server node-1 192.0.2.1:30080 check",
    "    server node-2 192.0.2.2:30080 check",
  ]);
}

/** NetScaler's command line. The monitor's answer time must be shorter than its interval. */
export function netscaler(check: CheckSettings): BalancerText {
  const drains = check.drainAnswer?.status === 404;
  const monitor = "lb monitor gracegate-hc HTTP";
  return block("NetScaler", "text", [
    `add ${monitor} -httpRequest "GET ${check.path}"`,
    `set ${monitor} -destPort ${check.nodePort} -respCode 200${drains ? " -trofsCode 404" : ""}`,
    `set ${monitor} -interval ${check.interval} -resptimeout ${Math.max(1, Math.min(check.timeout, check.interval - 1))}`,
    `set ${monitor} -retries ${check.fall} -successRetries ${check.rise}`,
    "bind serviceGroup gateways -monitorName gracegate-hc",
  ]);
}

/** F5 BIG-IP. Its timeout is one second more than interval × fall. */
export function f5(check: CheckSettings, timeout: number): BalancerText {
  const drains = check.drainAnswer?.body?.trim();
  return block("F5 BIG-IP (tmsh)", "text", [
    "create ltm monitor http gracegate-hc {",
    `  destination *:${check.nodePort}`,
    `  interval ${check.interval} timeout ${timeout}`,
    `  send "GET ${check.path} HTTP/1.0\\r\\n\\r\\n"`,
    `  recv "OPEN"${drains === undefined ? "" : ` recv-disable "${drains}"`}`,
    "}",
    "modify ltm pool gateways monitor gracegate-hc",
  ]);
}

/** NGINX Plus with active health checks. */
export function nginxPlus(check: CheckSettings): BalancerText {
  return block("NGINX Plus", "nginx", [
    "match gracegate_open { status 200; }",
    "location / {",
    "    proxy_pass http://gateways;",
    `    health_check port=${check.nodePort} uri=${check.path} match=gracegate_open`,
    `                 interval=${check.interval} fails=${check.fall} passes=${check.rise};`,
    "}",
  ]);
}

/** Envoy as the balancer: a 503 takes an endpoint out at once. */
export function envoy(check: CheckSettings): BalancerText {
  return block("Envoy", "yaml", [
    "health_checks:                 # in the cluster",
    `  - timeout: ${check.timeout}s`,
    `    interval: ${check.interval}s`,
    `    unhealthy_threshold: ${check.fall}`,
    `    healthy_threshold: ${check.rise}`,
    "    http_health_check:",
    `      path: ${check.path}`,
    "# and in each endpoint",
    `health_check_config: { port_value: ${check.nodePort} }`,
  ]);
}

/** Any balancer that asks by HTTP. */
export function generic(check: CheckSettings): BalancerText {
  return block("Any balancer", "text", [
    `check:    GET http://NODE:${check.nodePort}${check.path}, every ${check.interval} s`,
    `up:       200, ${check.rise} times in a row`,
    `down:     anything else or no answer in ${check.timeout} s, ${check.fall} times in a row`,
  ]);
}

/** Lines under a title. */
export function block(title: string, language: string, lines: readonly string[]): BalancerText {
  return { title, language, text: `${lines.join("\n")}\n` };
}
