import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exactly, type InSeconds } from "../../../test/unit/pods.ts";
import { gatewayTimeline as exactGateway, type GatewayTermination } from "./gateway.ts";
import { sidecarTimeline as exactSidecar, type SidecarTermination } from "./sidecar.ts";
import { deathsOf, type Timeline } from "./timeline.ts";

type Gateway = InSeconds<GatewayTermination>;
type Sidecar = InSeconds<SidecarTermination>;
const gatewayTimeline = (pod: Gateway) => exactGateway(exactly<GatewayTermination>(pod));
const sidecarTimeline = (pod: Sidecar) => exactSidecar(exactly<SidecarTermination>(pod));

const stock: Gateway = {
  gracePeriod: 30,
  hook: { kind: "timed", length: 0, name: "none" },
  exitOnZero: false,
  minimumDrain: 5,
  terminationDrain: 5,
  drainDuration: 45,
  longest: 36,
  hc: undefined,
  checkInterval: 2,
  checkFall: 2,
  detection: undefined,
  killsSessions: true,
};

const held: Gateway = {
  ...stock,
  gracePeriod: 75,
  hook: { kind: "held" },
  exitOnZero: true,
  hc: { drainTimeout: 36, lbBuffer: 9 },
};

const sidecar: Sidecar = {
  gracePeriod: 30,
  hook: { kind: "timed", length: 0, name: "none" },
  exitOnZero: false,
  minimumDrain: 5,
  terminationDrain: 5,
  drainDuration: 45,
  longest: 10,
  native: false,
  appStops: [{ container: "app", length: 10 }],
};

const deaths = (timeline: Timeline) => deathsOf(timeline).map(({ at, text }) => `${at / 1000}: ${text}`);
const spansOf = (timeline: Timeline, lane: string) =>
  timeline.spans
    .filter((one) => one.lane === lane)
    .map(({ from, to, label }) => `${from / 1000}-${to / 1000} ${label}`);

describe("gatewayTimeline", () => {
  const cases: readonly [name: string, pod: Gateway, expected: readonly RegExp[]][] = [
    [
      "a stock gateway loses what the balancer cuts and what outlasts its drain",
      stock,
      [/^4: the balancer marks/, /^5: the proxy exits after its drain of 5s/],
    ],
    ["a balancer that keeps sessions cuts nothing", { ...stock, killsSessions: false }, [/^5: the proxy exits/]],
    [
      "a proxy that is gone before the balancer knows refuses new requests",
      { ...stock, longest: 3, checkInterval: 10 },
      [/^5: new requests are refused until the balancer has it DOWN at 20s/],
    ],
    ["a gateway whose SIGTERM waits for hc loses nothing", held, []],
    ["with a drain answer neither", { ...held, detection: 2 }, []],
    [
      "after the drain answer no new request comes that a proxy which leaves early could refuse",
      { ...held, hook: { kind: "timed", length: 20, name: "sleep 20s" }, longest: 24, detection: 5 },
      [],
    ],
    [
      "without one they come until DOWN",
      { ...held, hook: { kind: "timed", length: 20, name: "sleep 20s" }, longest: 24 },
      [/^26: new requests are refused until the balancer has it DOWN at 28s/],
    ],
    ["a grace that is too short ends in SIGKILL", { ...held, gracePeriod: 30 }, [/SIGKILL after 30s/]],
    [
      "EXIT_ON_ZERO alone lets the balancer cut",
      { ...stock, exitOnZero: true, gracePeriod: 75 },
      [/^4: the balancer marks/],
    ],
    [
      "a sleep holds the proxy, but the balancer hears of it only after it",
      { ...stock, hook: { kind: "timed", length: 45, name: "sleep 45s" }, exitOnZero: true, gracePeriod: 75 },
      [],
    ],
    [
      "Envoy stops accepting while the balancer still sends",
      {
        ...stock,
        longest: 1,
        exitOnZero: false,
        terminationDrain: 60,
        drainDuration: 20,
        checkInterval: 20,
        gracePeriod: 90,
      },
      [/^20: Envoy stops accepting 20s after SIGTERM/],
    ],
  ];
  for (const [name, pod, expected] of cases) {
    it(name, () => {
      const found = deaths(gatewayTimeline(pod));
      assert.equal(found.length, expected.length, found.join("\n"));
      for (const [index, sentence] of expected.entries()) assert.match(found[index] ?? "", sentence);
    });
  }

  it("hc's states follow one another, and the proxy's SIGTERM comes with CLOSED", () => {
    const timeline = gatewayTimeline({ ...held, detection: 2 });
    assert.deepEqual(spansOf(timeline, "hc"), ["0-36 DRAINING", "36-45 CLOSING", "45-53 CLOSED"]);
    assert.deepEqual(spansOf(timeline, "balancer"), ["0-2 UP", "2-40 no new requests", "40-75 DOWN"]);
    assert.deepEqual(spansOf(timeline, "istio-proxy"), ["0-45 serves", "45-51 drains"]);
  });

  it("a request longer than the drain timeout is waited for in FAULT, as long as the deadline allows", () => {
    const timeline = gatewayTimeline({ ...held, longest: 50 });
    assert.deepEqual(spansOf(timeline, "hc").slice(0, 3), ["0-36 DRAINING", "36-50 FAULT", "50-59 CLOSING"]);
    assert.deepEqual(deaths(timeline), []);
    assert.match(deaths(gatewayTimeline({ ...held, longest: 70 })).join(), /cuts what is in flight/);
  });

  it("without hc, EXIT_ON_ZERO has no end but SIGKILL", () => {
    const marks = gatewayTimeline({ ...stock, exitOnZero: true }).marks;
    assert.equal(marks.filter(({ kind }) => kind === "endless").length, 1);
    assert.ok(gatewayTimeline(held).marks.every(({ kind }) => kind !== "endless"));
  });
});

describe("sidecarTimeline", () => {
  const cases: readonly [name: string, pod: Sidecar, expected: readonly RegExp[]][] = [
    [
      "a stock proxy leaves while the application still stops",
      sidecar,
      [/^5: the proxy exits while the application's preStop/],
    ],
    [
      "a drain shorter than preStop and request cuts the request",
      { ...sidecar, terminationDrain: 15 },
      [/^15: the proxy exits before the application has answered/],
    ],
    ["a drain as long as both loses nothing", { ...sidecar, terminationDrain: 20 }, []],
    ["EXIT_ON_ZERO waits for the last request", { ...sidecar, exitOnZero: true, minimumDrain: 10 }, []],
    [
      "a preStop longer than the grace is killed",
      { ...sidecar, appStops: [{ container: "app", length: 40 }] },
      [/^5: the proxy exits/, /^30: SIGKILL after 30s, while the application's preStop/],
    ],
    ["a native sidecar leaves after the application", { ...sidecar, native: true }, []],
    [
      "SIGKILL ends what the grace does not hold",
      { ...sidecar, exitOnZero: true, gracePeriod: 15 },
      [/^15: SIGKILL after 15s/],
    ],
    [
      "Envoy's listeners close with drainDuration",
      { ...sidecar, terminationDrain: 25, drainDuration: 12 },
      [/^12: Envoy closes its listeners/],
    ],
  ];
  for (const [name, pod, expected] of cases) {
    it(name, () => {
      const found = deaths(sidecarTimeline(pod));
      assert.equal(found.length, expected.length, found.join("\n"));
      for (const [index, sentence] of expected.entries()) assert.match(found[index] ?? "", sentence);
    });
  }

  it("shows what a request that died would have needed", () => {
    assert.deepEqual(spansOf(sidecarTimeline(sidecar), "requests"), ["0-5 the longest request: 10s", "5-20 cut off"]);
  });

  it("marks that an idle connection has no end, for classic sidecars with EXIT_ON_ZERO only", () => {
    const isEndless = (pod: Sidecar) => sidecarTimeline(pod).marks.some(({ kind }) => kind === "endless");
    assert.ok(isEndless({ ...sidecar, exitOnZero: true }));
    assert.ok(!isEndless(sidecar));
    assert.ok(!isEndless({ ...sidecar, exitOnZero: true, native: true }));
  });
});
