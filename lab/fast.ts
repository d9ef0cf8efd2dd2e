/**
 * The minute-long variant for a loop while developing hc: no node and no istiod, but a real pilot-agent, Envoy, hc and
 * HAProxy as processes.
 *
 *   npm run build && node lab/fast.ts
 *
 * S1 with 12 s, and S3 with HTTP/1.1 and HTTP/2. Ends with 1 where anything was lost.
 */
import { setTimeout as wait } from "node:timers/promises";
import { startBalancer } from "../test/e2e/hc/balancer.ts";
import { executables, skip, upstream } from "../test/e2e/hc/components.ts";
import { Gateway } from "../test/e2e/hc/gateway.ts";
import { debian } from "../test/e2e/install/components.ts";
import { probe } from "./probe.ts";
import { countsOf } from "./record.ts";

/** Seconds of success before a gateway is deleted. */
const CLEAN_S = 5;

/** Seconds that a deleted gateway may take, its new one included, before the load ends. */
const ENOUGH_S = 45;

if (skip !== false) throw new Error(skip);
const application = await upstream();
const options = {
  ...executables,
  upstreamPort: application.port,
  upstreamTcpPort: application.tcpPort,
  env: { LB_PROFILE: "haproxy" },
};
const [a, b] = [await Gateway.start(options), await Gateway.start(options)];
const balancer = await startBalancer({
  haproxy: debian("haproxy", ["haproxy"]).path,
  servers: [
    { name: "a", ports: a.ports },
    { name: "b", ports: b.ports },
  ],
  disableOn404: true,
  killsSessions: true,
});
const [http, tcp] = [`http://127.0.0.1:${balancer.httpPort}`, `http://127.0.0.1:${balancer.tcpPort}`];
try {
  const load = ["--rate", "40", "--duration", `${CLEAN_S + ENOUGH_S}s`, "--seconds", "3s", "--long-share", "0.05"];
  const running = [
    probe(["long", http, "--seconds", "12s", "--count", "4"]),
    probe(["load", http, ...load]),
    probe(["load", tcp, ...load, "--http2", "--connections", "4"]),
  ];
  await wait(CLEAN_S * 1000);
  for (const [name, gateway] of [["a", a] as const, ["b", b] as const]) {
    const { held, proxyEnded, exitCodes } = await gateway.delete();
    process.stdout.write(`${name}: held ${held.toFixed(1)} s, proxy ended after ${proxyEnded.toFixed(1)} s`);
    process.stdout.write(`, exit codes ${exitCodes.join(" and ")}\n`);
    await gateway.restart();
    await balancer.isUp(name);
  }
  const { started, lost, losses } = countsOf(await Promise.all(running));
  process.stdout.write(`${lost} of ${started} requests lost ${lost === 0 ? "" : JSON.stringify(losses)}\n`);
  process.exitCode = lost === 0 ? 0 : 1;
} finally {
  await balancer.stop();
  await Promise.all([a.cleanUp(), b.cleanUp()]);
  await application.stop(0);
}
