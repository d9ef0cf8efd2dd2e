import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { killsSessions, mayCut } from "./on-down.ts";
import type { CheckSettings } from "./profile.ts";
import { LB_PROFILES, type LbProfileName, profiles } from "./profiles.ts";

const check: CheckSettings = {
  interval: 7,
  fall: 4,
  rise: 3,
  timeout: 6,
  nodePort: 30_180,
  hcPort: 18_180,
  path: "/healthy",
  drainAnswer: undefined,
};

/** The titles of a profile's settings, and what none but this balancer understands. */
const languages: Readonly<Record<LbProfileName, readonly [titles: readonly string[], words: RegExp]>> = {
  generic: [["Any balancer", "HAProxy", "NetScaler", "F5 BIG-IP (tmsh)"], /^up: {7}200, 3 times in a row$/m],
  haproxy: [["HAProxy"], /^ {4}default-server port 30180 inter 7s fall 4 rise 3$/m],
  netscaler: [["NetScaler"], /^set lb monitor gracegate-hc HTTP -retries 4 -successRetries 3$/m],
  "netscaler-trofs": [["NetScaler"], /^set lb monitor gracegate-hc HTTP -interval 7 -resptimeout 6$/m],
  f5: [["F5 BIG-IP (tmsh)"], /^ {2}interval 7 timeout 29$/m],
  "aws-nlb": [["AWS CLI", "Service of the AWS Load Balancer Controller"], /^ {2}--unhealthy-threshold-count 4 /m],
  "aws-nlb-keep": [
    ["AWS CLI", "Service of the AWS Load Balancer Controller"],
    /target-group-attributes: >-\n {6}target_health_state\.unhealthy\.connection_termination\.enabled=false$/m,
  ],
  "aws-alb": [["AWS CLI"], /^ {2}--unhealthy-threshold-count 4 /m],
  gcp: [["gcloud"], /^ {2}--check-interval 7s --timeout 6s \\$/m],
  azure: [["Azure CLI", "Service on AKS, for its port 443"], /^ {2}--interval 7 --probe-threshold 4$/m],
  "nginx-plus": [
    ["NGINX Plus"],
    /^ {4}health_check port=30180 uri=\/healthy match=gracegate_open\n.*fails=4 passes=3;$/m,
  ],
  envoy: [
    ["Envoy"],
    /^ {4}unhealthy_threshold: 4\n {4}healthy_threshold: 3\n {4}http_health_check:\n {6}path: \/healthy$/m,
  ],
};

for (const name of LB_PROFILES) {
  describe(`the profile ${name}`, () => {
    const profile = profiles[name];
    const [titles, words] = languages[name];

    it("has settings in its own language", () => {
      const texts = profile.settings(check);
      assert.deepEqual(
        texts.map(({ title }) => title),
        titles,
      );
      assert.match(texts.map(({ text }) => text).join(""), words);
    });

    it("has a detection where it has a drain answer, and only there", () => {
      assert.equal(profile.detection === undefined, profile.drainAnswer === undefined);
    });

    it("names the setting that makes another answer than 503 its drain answer", () => {
      const isOfItself = profile.drainAnswer === undefined || profile.drainAnswer.status === 503;
      assert.equal(profile.drainSetting === undefined, isOfItself);
    });

    it("has 503 as its drain answer where it keeps sessions, since it loses nothing by DOWN", () => {
      assert.equal(profile.drainAnswer?.status === 503, profile.onDown.sessions === "kept");
    });
  });
}

describe("settings of a balancer that was given a drain answer", () => {
  const texts = (name: LbProfileName, status: number, body?: string) => {
    const drainAnswer = body === undefined ? { status } : { status, body };
    return profiles[name]
      .settings({ ...check, drainAnswer })
      .map(({ text }) => text)
      .join("");
  };
  const cases: readonly (readonly [LbProfileName, status: number, body: string | undefined, RegExp])[] = [
    ["haproxy", 404, undefined, /http-check disable-on-404/],
    ["netscaler-trofs", 404, "DRAINING\n", /-trofsCode 404/],
    ["f5", 200, "DRAINING\n", /recv-disable "DRAINING"/],
  ];
  for (const [name, status, body, setting] of cases) {
    it(`${name} has the setting for it, and not without one`, () => {
      assert.match(texts(name, status, body), setting);
      assert.doesNotMatch(texts(name, 503), setting);
    });
  }
});

describe("sessions at DOWN", () => {
  const cases = [
    [{ sessions: "kept" }, "no", false],
    [{ sessions: "cut" }, "yes", true],
    [{ sessions: "cut", when: "only on Sundays" }, "only on Sundays", true],
    [{ sessions: "unknown" }, "assume yes", true],
  ] as const;
  for (const [onDown, words, counted] of cases) {
    it(`are told as "${words}" and ${counted ? "counted as lost" : "not counted as lost"}`, () => {
      assert.equal(killsSessions(onDown), words);
      assert.equal(mayCut(onDown), counted);
    });
  }
});
