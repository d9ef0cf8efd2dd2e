import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { specOf, type WrittenSpec } from "../../test/unit/pods.ts";
import type { Delegation } from "./delegation.ts";
import { type OverrideRole, overrides } from "./overrides.ts";
import { overridesOf } from "./pod-overrides.ts";
import { DELEGABLE } from "./schema.ts";

const all: Delegation = { rootNamespace: "gracegate", fields: new Set(DELEGABLE) };
const none: Delegation = { rootNamespace: "gracegate", fields: new Set() };
const of = (name: string, value: string, role: OverrideRole = "gateway", delegation = all) =>
  overridesOf({ [`gracegate.dev/${name}`]: value }, role, delegation);
const g = (fields: object) => ({ gateway: fields });
const lb = (fields: object) => g({ loadBalancer: fields });
const hc = (fields: object) => g({ hc: fields });
const SECONDS = "36s, 1m30s or a number of seconds";

describe("each override: a good value, a bad value, the other role", () => {
  type Case = readonly [
    name: string,
    good: string,
    spec: object,
    bad: string,
    is: string,
    right: string,
    other: "both" | "gateway" | "sidecar",
  ];
  const cases: readonly Case[] = [
    ["role", "gateway", {}, "gatway", "known (did you mean gateway?)", "gateway, sidecar, none", "both"],
    ["inject", "true", {}, "no", "true or false", '"true" or "false"', "both"],
    [
      "mode",
      "Observe",
      { mode: "Observe" },
      "observe",
      "known (did you mean Observe?)",
      "Enforce, Observe, Disabled",
      "both",
    ],
    ["request-p99", "45s", g({ requestP99: 45 }), "45 s", "a duration (a number lacks its unit)", SECONDS, "both"],
    ["drain-timeout", "1m", g({ drainTimeout: 60 }), "-5s", "a duration (it is negative)", SECONDS, "both"],
    [
      "lb-profile",
      "haproxy",
      lb({ profile: "haproxy" }),
      "haprox",
      "known (did you mean haproxy?)",
      "generic, haproxy, netscaler, netscaler-trofs, f5, aws-nlb, aws-nlb-keep, aws-alb, gcp, azure, nginx-plus, envoy",
      "gateway",
    ],
    ["lb-check-interval", "3s", lb({ checkInterval: 3 }), "0s", "a duration above 0", "1s up to 86400s", "gateway"],
    ["lb-check-fall", "3", lb({ checkFall: 3 }), "0", "a whole number from 1 to 100", "one, such as 1", "gateway"],
    ["lb-buffer", "0", lb({ buffer: 0 }), "", "a duration (it is empty)", SECONDS, "gateway"],
    [
      "termination-drain-duration",
      "50s",
      g({ terminationDrainDuration: 50 }),
      "soon",
      "a duration (it is not a number with the units ms, s, m or h)",
      SECONDS,
      "both",
    ],
    [
      "minimum-drain-duration",
      "7s",
      g({ minimumDrainDuration: 7 }),
      "7 seconds",
      "a duration (a number lacks its unit)",
      SECONDS,
      "both",
    ],
    [
      "exit-on-zero",
      "false",
      g({ exitOnZeroActiveConnections: false }),
      "False",
      "true or false",
      '"true" or "false"',
      "both",
    ],
    [
      "hold-application",
      "true",
      g({ holdApplicationUntilProxyStarts: true }),
      "1",
      "true or false",
      '"true" or "false"',
      "both",
    ],
    [
      "proxy-stop",
      "Hold",
      g({ proxyStop: "Hold" }),
      "hold",
      "known (did you mean Hold?)",
      "Hold, Sleep, Sigterm, None",
      "both",
    ],
    [
      "retire-connections",
      "false",
      g({ retireConnections: false }),
      "off",
      "true or false",
      '"true" or "false"',
      "gateway",
    ],
    ["margin", "10s", g({ margin: 10 }), "25h", "a duration (it is longer than 24h)", SECONDS, "both"],
    ["grace-period", "90s", {}, "1d", 'a duration (the unit "d" is unknown)', SECONDS, "both"],
    [
      "application-pre-stop-sleep",
      "5s",
      { sidecar: { applicationPreStopSleep: 5 } },
      "x",
      "a duration (it is not a number with the units ms, s, m or h)",
      SECONDS,
      "sidecar",
    ],
    ["hc", "false", hc({ enabled: false }), "none", "true or false", '"true" or "false"', "gateway"],
    [
      "hc-image",
      "mirror.example/hc@sha256:0",
      hc({ image: "mirror.example/hc@sha256:0" }),
      "my image",
      "an image",
      "its name with a tag or a digest",
      "gateway",
    ],
    ["hc-port", "19000", hc({ port: 19_000 }), "65536", "a whole number from 1 to 65535", "one, such as 1", "gateway"],
  ];

  it("all 21 are here, in the order of the documentation", () => {
    assert.deepEqual(
      cases.map(([name]) => name),
      overrides.map(({ name }) => name),
    );
    assert.equal(cases.length, 21);
  });

  for (const [name, good, spec, bad, is, right, roles] of cases) {
    const role: OverrideRole = roles === "sidecar" ? "sidecar" : "gateway";

    it(`${name}: ${JSON.stringify(good)} is taken`, () => {
      const { layers, gracePeriodWish, bad: wrong, notices } = of(name, good, role);
      assert.deepEqual([wrong, notices], [[], []]);
      if (name === "grace-period") assert.deepEqual([gracePeriodWish, layers], [90_000, []]);
      else
        assert.deepEqual(layers, [
          { level: 6, origin: `annotation gracegate.dev/${name}`, spec: specOf(spec as WrittenSpec) },
        ]);
    });

    it(`${name}: spaces around the value are none of it`, () => {
      assert.deepEqual(of(name, ` ${good}\n`, role).bad, []);
    });

    it(`${name}: ${JSON.stringify(bad)} is refused, with what would be right`, () => {
      const { layers, gracePeriodWish, bad: wrong } = of(name, bad, role);
      assert.deepEqual([layers, gracePeriodWish], [[], undefined]);
      assert.deepEqual(
        wrong.map((one) => [one.annotation, one.value, one.is, one.right]),
        [[`gracegate.dev/${name}`, bad, is, right]],
      );
    });

    it(`${name}: ${roles === "both" ? "is for both roles" : `is for a ${roles} only`}`, () => {
      const other = of(
        name,
        roles === "both" && name === "proxy-stop" ? "Sleep" : good,
        role === "gateway" ? "sidecar" : "gateway",
      );
      assert.deepEqual(other.bad, []);
      if (roles === "both") assert.deepEqual(other.notices, []);
      else {
        assert.deepEqual(other.layers, []);
        const here = role === "gateway" ? "sidecar" : "gateway";
        assert.equal(
          other.notices[0]?.text,
          `gracegate.dev/${name} is for a ${roles}, and this pod is a ${here}; it is ignored.`,
        );
      }
    });
  }
});

describe("overridesOf", () => {
  it("a shared setting goes to the pod's role", () => {
    assert.deepEqual(of("drain-timeout", "9s", "sidecar").layers[0]?.spec, { sidecar: { drainTimeout: 9000 } });
  });
  it("a sidecar cannot Hold", () => {
    assert.equal(of("proxy-stop", "Hold", "sidecar").bad[0]?.right, "Sigterm, Sleep, None");
  });
  it("an unknown name is told the nearest", () => {
    const [notice] = of("drain-timout", "9s").notices;
    assert.match(notice?.text ?? "", /did you mean gracegate\.dev\/drain-timeout\?$/);
  });
  it("an unknown name without a near one is told the list", () => {
    assert.match(of("colour", "red").notices[0]?.text ?? "", /docs\/overrides\.md lists them/);
  });
  it("an image of hc is ignored unless it is delegated, right or wrong", () => {
    for (const value of ["evil.example/x:1", "my image"]) {
      assert.deepEqual(of("hc-image", value, "gateway", none), {
        layers: [],
        gracePeriodWish: undefined,
        bad: [],
        notices: [
          {
            code: "GG108",
            severity: "warning",
            text: "gracegate.dev/hc-image is ignored, since no GracePolicy of namespace gracegate has hc.image in delegate.",
          },
        ],
      });
    }
  });
  it("every other override is the pod's author's, whatever is delegated", () => {
    for (const { name } of overrides) {
      const codes = of(name, "1", "gateway", none).notices.map(({ code }) => code);
      assert.equal(codes.includes("GG108"), name === "hc-image", name);
    }
  });
  it("a name of Object.prototype is unknown", () => assert.equal(of("constructor", "x").notices[0]?.code, "GG102"));
  it("the status is no override, and other prefixes are none of its business", () => {
    const annotations = { "gracegate.dev/status": "{}", "gracegate.devious/mode": "x", "istio.io/rev": "1" };
    assert.deepEqual(overridesOf(annotations, "gateway", all), {
      layers: [],
      gracePeriodWish: undefined,
      bad: [],
      notices: [],
    });
  });
  it("a value that is no text does not parse", () => {
    for (const [written, kind] of [
      [5, "a number"],
      [true, "a boolean"],
      [["5s"], "a collection"],
    ] as const) {
      const [bad] = overridesOf({ "gracegate.dev/margin": written }, "gateway", all).bad;
      assert.equal(bad?.value, JSON.stringify(written));
      assert.equal(bad?.is, `a text but ${kind}, and the API server refuses the object`);
    }
  });
  it("very many unknown names are counted", () => {
    const annotations = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`gracegate.dev/x${index}`, ""]));
    const { notices } = overridesOf(annotations, "gateway", all);
    assert.equal(notices.length, 21);
    assert.match(notices.at(-1)?.text ?? "", /^980 more gracegate\.dev annotations are no overrides/);
  });
  it("every override has a type and a sentence for the documentation", () => {
    for (const { type, doc } of overrides) assert.ok(type !== "" && doc.endsWith("."));
  });
});
