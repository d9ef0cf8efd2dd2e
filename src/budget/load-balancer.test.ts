import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type LbProfileName, profiles } from "../balancers/profiles.ts";
import type { LbAnswers } from "../policy/schema.ts";
import { inSeconds, seconds } from "../units/milliseconds.ts";
import { setBy } from "./because.ts";
import { written } from "./formula.ts";
import { type LoadBalancer, loadBalancerOf } from "./load-balancer.ts";

const sourced = <T>(value: T) => ({ value, level: 4, origin: "GracePolicy shop/default" }) as const;

interface Given {
  readonly interval?: number;
  readonly fall?: number;
  readonly buffer?: number;
  readonly answers?: LbAnswers;
}

const of = (profile: LbProfileName, { interval, fall, buffer, answers = {} }: Given = {}) =>
  loadBalancerOf({
    profile: sourced(profile),
    checkInterval: interval === undefined ? undefined : sourced(seconds(interval)),
    checkFall: fall === undefined ? undefined : sourced(fall),
    checkRise: sourced(2),
    checkTimeout: sourced(seconds(1)),
    buffer: buffer === undefined ? undefined : sourced(seconds(buffer)),
    answers,
  });

describe("profiles, as SPEC 9 has them", () => {
  const table: readonly [LbProfileName, number | undefined, number, number, detection: number, buffer: number][] = [
    ["generic", undefined, 2, 2, 2, 9],
    ["haproxy", 404, 2, 3, 2, 11],
    ["netscaler", undefined, 5, 3, 2, 20],
    ["netscaler-trofs", 404, 5, 3, 5, 20],
    ["f5", 200, 5, 3, 5, 20],
    ["aws-nlb", undefined, 30, 3, 2, 95],
    ["aws-nlb-keep", 503, 30, 3, 90, 95],
    ["aws-alb", 503, 30, 2, 60, 65],
    ["gcp", 503, 5, 2, 10, 15],
    ["azure", 503, 5, 2, 10, 15],
    ["nginx-plus", 503, 5, 1, 5, 10],
    ["envoy", 503, 5, 2, 5, 15],
  ];
  for (const [name, status, interval, fall, detection, buffer] of table) {
    it(name, () => {
      const lb = of(name);
      assert.deepEqual(
        [
          lb.drainAnswer?.status,
          inSeconds(lb.checkInterval),
          lb.checkFall,
          inSeconds(lb.detection),
          inSeconds(lb.lbBuffer.value),
        ],
        [status, interval, fall, detection, buffer],
      );
      assert.equal(profiles[name].closeAnswer.status, 503);
    });
  }

  it("all are in the table", () =>
    assert.deepEqual(
      table.map(([name]) => name),
      Object.keys(profiles),
    ));
});

describe("what a cloud does not take", () => {
  const numbers = ({ checkInterval, checkFall, checkRise, checkTimeout, lbBuffer }: LoadBalancer) => [
    inSeconds(checkInterval),
    checkFall,
    checkRise,
    inSeconds(checkTimeout),
    inSeconds(lbBuffer.value),
  ];

  it("AWS: 5 s, 2 checks and a timeout of 2 s at least, in the arithmetic too", () => {
    for (const profile of ["aws-nlb", "aws-nlb-keep", "aws-alb"] as const) {
      assert.deepEqual(numbers(of(profile, { interval: 2, fall: 1 })), [5, 2, 2, 2, 15]);
    }
    assert.equal(of("aws-nlb-keep", { interval: 2, fall: 1 }).detection, seconds(10));
  });

  it("Azure: 5 s at least, one check is enough; others take all", () => {
    assert.deepEqual(numbers(of("azure", { interval: 2, fall: 1 })), [5, 1, 2, 1, 10]);
    assert.deepEqual(numbers(of("haproxy", { interval: 1, fall: 1 })), [1, 1, 2, 1, 6]);
  });
});

const arithmeticOf = ({ lbBuffer: { because } }: LoadBalancer) =>
  because.tag === "checks" ? written(because.formula) : because.tag;

describe("what a policy changes", () => {
  it("interval and fall change buffer and detection", () => {
    const lb = of("aws-alb", { interval: 10, fall: 4 });
    assert.equal(lb.detection, seconds(40));
    assert.equal(arithmeticOf(lb), "10s × 4 + 5s = 45s");
  });
  it("an interval of half a second stays one: 1.5 s and 5 s", () => {
    const lb = of("generic", { interval: 0.5, fall: 3 });
    assert.equal(lb.lbBuffer.value, 6500);
    assert.equal(arithmeticOf(lb), "500ms × 3 + 5s = 6.5s");
  });
  it("an explicit buffer says where it comes from, and detection stays", () => {
    const lb = of("haproxy", { buffer: 30, interval: 4 });
    assert.equal(lb.detection, seconds(4));
    assert.deepEqual(lb.lbBuffer, setBy("buffer", { value: seconds(30), origin: "GracePolicy shop/default" }));
  });
  const answers: readonly [string, LbProfileName, LbAnswers, object | undefined, number][] = [
    [
      "a drain answer that the profile has not is seen by the next check",
      "generic",
      { draining: { status: 404 } },
      { status: 404 },
      2,
    ],
    ["503 is seen after the fall", "generic", { draining: { status: 503 } }, { status: 503 }, 4],
    ["a body alone is a 200 with that body", "generic", { draining: { body: "BYE" } }, { status: 200, body: "BYE" }, 2],
    ["a plain 200 is no drain answer", "haproxy", { draining: { status: 200 } }, undefined, 2],
    ["a status keeps the profile's body", "f5", { draining: { status: 429 } }, { status: 429, body: "DRAINING\n" }, 5],
    ["other states' answers change nothing here", "generic", { closing: { status: 500 } }, undefined, 2],
  ];
  for (const [name, profile, given, answer, detection] of answers) {
    it(name, () => {
      const lb = of(profile, { answers: given });
      assert.deepEqual([lb.drainAnswer, inSeconds(lb.detection)], [answer, detection]);
    });
  }
});
