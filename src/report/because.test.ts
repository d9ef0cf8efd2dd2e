import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { app, gatewayPod, run, sidecarPod, type WrittenSpec } from "../../test/unit/pods.ts";
import type { JsonObject } from "../pod/json.ts";
import { reasonsOf } from "./because.ts";

const TDD = "config/terminationDrainDuration";
const MINIMUM = "config/MINIMUM_DRAIN_DURATION";
const PROXY = "/spec/containers/istio-proxy/lifecycle";
const GRACE = "/spec/terminationGracePeriodSeconds";
const hc = (name: string) => `/spec/containers/hc/env/${name}`;
const hcPoll: WrittenSpec = { gateway: { hc: { pollInterval: 0.5 } } };
const own = (text: string) => ({ annotations: { "proxy.istio.io/config": text } });

describe("the reason of each line", () => {
  type Case = readonly [string, JsonObject, WrittenSpec, string, string | undefined];
  const cases: readonly Case[] = [
    ["the built-in p99", gatewayPod(), {}, TDD, "drain timeout 36s: requestP99 30s × 1.2 (built-in)"],
    [
      "a policy's drain timeout",
      gatewayPod(),
      { gateway: { drainTimeout: 20 } },
      hc("DRAIN_TIMEOUT"),
      "drainTimeout 20s (GracePolicy shop/default)",
    ],
    [
      "an explicit terminationDrainDuration",
      gatewayPod(),
      { gateway: { terminationDrainDuration: 50 } },
      TDD,
      "terminationDrainDuration 50s (GracePolicy shop/default)",
    ],
    [
      "what the grace leaves",
      sidecarPod(),
      {},
      TDD,
      "drain timeout 25s: the grace period of 30s less margin 5s (built-in), 5s to 40s",
    ],
    [
      "the application's stop",
      sidecarPod({ others: [app({ sleep: { seconds: 10 } })] }),
      {},
      TDD,
      "application preStop 10s + drain timeout 15s: the grace period of 30s less margin 5s (built-in), 5s to 40s",
    ],
    [
      "less the proxy's own sleep",
      sidecarPod(),
      { sidecar: { proxyStop: "Sleep", drainTimeout: 20 } },
      TDD,
      "drain timeout 20s - preStop 5s: drainTimeout 20s (GracePolicy shop/default)",
    ],
    [
      "the pod's own terminationDrainDuration",
      sidecarPod(own("terminationDrainDuration: 40s")),
      {},
      TDD,
      "drain timeout 40s: the pod's own terminationDrainDuration",
    ],
    [
      "the least without EXIT_ON_ZERO",
      sidecarPod(),
      { sidecar: { exitOnZeroActiveConnections: false } },
      TDD,
      "drain timeout 5s: the least that a proxy drains for",
    ],
    [
      "the minimum with Hold",
      gatewayPod(),
      {},
      MINIMUM,
      "the proxy's own least drain, once hc lets it go (the budget)",
    ],
    [
      "a policy's minimum",
      gatewayPod(),
      { gateway: { minimumDrainDuration: 9 } },
      MINIMUM,
      "minimumDrainDuration 9s (GracePolicy shop/default)",
    ],
    [
      "the minimum that covers an application's stop",
      sidecarPod({ others: [app({ sleep: { seconds: 10 } })] }),
      {},
      MINIMUM,
      "the proxy outlives the application's preStop of 10s (the budget)",
    ],
    ["the least minimum", sidecarPod(), {}, MINIMUM, "the proxy's own least drain (the budget)"],
    ["Hold", gatewayPod(), {}, PROXY, "SIGTERM waits until hc is CLOSED: proxyStop Hold (built-in)"],
    [
      "Sleep",
      gatewayPod(),
      { gateway: { proxyStop: "Sleep" } },
      PROXY,
      "SIGTERM waits 45s: proxyStop Sleep (GracePolicy shop/default)",
    ],
    [
      "Sigterm",
      sidecarPod(),
      {},
      PROXY,
      "the proxy's drain starts with the application's stop: proxyStop Sigterm (built-in)",
    ],
    ["None", gatewayPod(), { gateway: { proxyStop: "None" } }, PROXY, "proxyStop None (GracePolicy shop/default)"],
    ["the grace period is its arithmetic", gatewayPod(), {}, GRACE, "max(36s + 9s, 36s) + 30s = 75s"],
    [
      "under a limit it says so",
      gatewayPod(),
      { gateway: { maxGracePeriod: 60 } },
      GRACE,
      "the budget: max(21s + 9s, 21s) + 30s = 60s",
    ],
    [
      "a drain timeout that a limit shortened",
      gatewayPod(),
      { gateway: { requestP99: 20_000 } },
      TDD,
      "drain timeout 561s: requestP99 20000s × 1.2 (GracePolicy shop/default), shortened to fit maxGracePeriod 600s (built-in)",
    ],
    [
      "what the balancer needs of a proxy that nothing holds",
      gatewayPod(),
      { gateway: { proxyStop: "Sigterm" } },
      MINIMUM,
      "what the balancer needs: 36s + 9s (the budget)",
    ],
    [
      "a wish for the grace period",
      gatewayPod({ annotations: { "gracegate.dev/grace-period": "200s" } }),
      {},
      GRACE,
      "annotation gracegate.dev/grace-period; the budget: max(36s + 9s, 36s) + 30s = 75s",
    ],
    ["hc's poll to the millisecond", gatewayPod(), hcPoll, hc("POLL_INTERVAL"), "hc.pollInterval 500ms"],
    ["the checks make the buffer", gatewayPod(), {}, hc("LB_BUFFER"), "checks: interval × fall + 5s (built-in)"],
    [
      "an explicit buffer",
      gatewayPod(),
      { gateway: { loadBalancer: { buffer: 20 } } },
      hc("LB_BUFFER"),
      "buffer 20s (GracePolicy shop/default)",
    ],
    ["the webhook's own image", gatewayPod(), {}, "/spec/containers/hc/image", "the webhook's --hc-image"],
    [
      "a policy's image",
      gatewayPod(),
      { gateway: { hc: { image: "x" } } },
      "/spec/containers/hc/image",
      "hc.image (GracePolicy shop/default)",
    ],
    [
      "an application's sleep",
      sidecarPod(),
      { sidecar: { applicationPreStopSleep: 5 } },
      "/spec/containers/app/lifecycle",
      "endpoints need a moment to leave: applicationPreStopSleep 5s (GracePolicy shop/default)",
    ],
    ["no sleep, no reason", sidecarPod(), {}, "/spec/containers/app/lifecycle", undefined],
    ["a sidecar has none for hc", sidecarPod(), {}, hc("LB_BUFFER"), undefined],
  ];
  for (const [name, pod, spec, place, reason] of cases) {
    it(name, () => assert.equal(reasonsOf(run(pod, spec).whys()).get(place), reason));
  }
});
