import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  app,
  codesOf,
  containerOf,
  gatewayPod,
  nativePod,
  preStop,
  run,
  sidecarPod,
  type WrittenSpec,
} from "../../test/unit/pods.ts";
import type { JsonObject } from "../pod/json.ts";

const HOLD = { httpGet: { path: "/drained", port: 18180, scheme: "HTTP" } };
const KILL = { exec: { command: ["kill", "-SIGTERM", "1"] } };
const sleep = (seconds: number) => ({ sleep: { seconds } });
const http = app({ httpGet: { path: "/stop", port: 8080 } });
const proxy = { name: "istio-proxy", image: "istio/proxyv2:1", args: ["proxy", "router"] };
const own = (preStopHook: JsonObject) => ({ proxy: { lifecycle: { preStop: preStopHook } } });

describe("mutation 4, the proxy's preStop", () => {
  type Case = readonly [string, JsonObject, WrittenSpec, JsonObject | undefined, readonly string[]];
  const cases: readonly Case[] = [
    ["a gateway holds for hc", gatewayPod(), {}, HOLD, []],
    [
      "on hc's port, where a policy moves it",
      gatewayPod(),
      { gateway: { hc: { port: 19_000 } } },
      { httpGet: { ...HOLD.httpGet, port: 19_000 } },
      [],
    ],
    [
      "on the host network with a host, since the kubelet finds no address",
      gatewayPod({ spec: { hostNetwork: true, containers: [proxy] } }),
      {},
      { httpGet: { ...HOLD.httpGet, host: "127.0.0.1" } },
      [],
    ],
    ["without hc it sleeps for drain and buffer", gatewayPod(), { gateway: { hc: { enabled: false } } }, sleep(45), []],
    [
      "no hook where nothing has to be waited for",
      gatewayPod(),
      { gateway: { hc: { enabled: false }, drainTimeout: 0, loadBalancer: { buffer: 0 } } },
      undefined,
      ["GG302"],
    ],
    [
      "beside a user's own hc it sleeps",
      gatewayPod({ others: [{ name: "hc", image: "their/hc:1" }] }),
      {},
      sleep(45),
      ["GG402"],
    ],
    ["Sleep", gatewayPod(), { gateway: { proxyStop: "Sleep", drainTimeout: 10 } }, sleep(19), []],
    ["Sigterm of a gateway", gatewayPod(), { gateway: { proxyStop: "Sigterm" } }, KILL, []],
    ["None", gatewayPod(), { gateway: { proxyStop: "None" } }, undefined, []],
    ["a user's own stays", gatewayPod(own({ sleep: { seconds: 20 } })), {}, sleep(20), ["GG401"]],
    [
      "a user's own that cannot be read stays, and is said",
      gatewayPod(own({ exec: { command: ["/stop"] } })),
      {},
      { exec: { command: ["/stop"] } },
      ["GG305", "GG401"],
    ],
    ["a classic sidecar starts its drain with the application's stop", sidecarPod(), {}, KILL, []],
    [
      "not without a kill in the image",
      sidecarPod({ proxy: { image: "istio/proxyv2:1-distroless" } }),
      {},
      undefined,
      ["GG404"],
    ],
    [
      "not where PID 1 is the pause process",
      sidecarPod({
        spec: { shareProcessNamespace: true, containers: [app(), { ...proxy, args: ["proxy", "sidecar"] }] },
      }),
      {},
      undefined,
      ["GG404"],
    ],
    ["an HTTP hook of the application makes it sleep", sidecarPod({ others: [http] }), {}, sleep(5), []],
    [
      "but not where a policy says Sigterm",
      sidecarPod({ others: [http] }),
      { sidecar: { proxyStop: "Sigterm" } },
      KILL,
      [],
    ],
    [
      "Sleep of a sidecar lasts as long as the application's stop",
      sidecarPod({ others: [app(sleep(12))] }),
      { sidecar: { proxyStop: "Sleep" } },
      sleep(12),
      [],
    ],
    ["a native sidecar is never touched", nativePod(), { sidecar: { proxyStop: "Sleep" } }, undefined, []],
    [
      "a native sidecar keeps Istio's own",
      nativePod(own({ exec: { command: ["pilot-agent", "drain"] } })),
      {},
      { exec: { command: ["pilot-agent", "drain"] } },
      [],
    ],
    ["a stub is not touched", gatewayPod({ proxy: { image: "auto" } }), {}, undefined, []],
  ];
  for (const [name, pod, spec, hook, codes] of cases) {
    it(name, () => {
      const outcome = run(pod, spec);
      assert.deepEqual(preStop(outcome.pod, "istio-proxy"), hook);
      assert.deepEqual(codesOf(outcome.notices), codes);
    });
  }

  it("a postStart stays", () => {
    const postStart = { exec: { command: ["pilot-agent", "wait"] } };
    const { pod } = run(gatewayPod({ proxy: { lifecycle: { postStart } } }));
    assert.deepEqual(containerOf(pod, "istio-proxy")?.lifecycle, { postStart, preStop: HOLD });
  });

  it("a second call with another policy replaces or removes the hook of the first", () => {
    const first = run(gatewayPod()).pod;
    assert.deepEqual(preStop(run(first, { gateway: { proxyStop: "Sleep" } }).pod, "istio-proxy"), sleep(45));
    assert.equal(containerOf(run(first, { gateway: { proxyStop: "None" } }).pod, "istio-proxy")?.lifecycle, undefined);
  });
});
