import assert from "node:assert/strict";
import { test } from "node:test";
import { StatScanner } from "./stats-text.ts";

/** Reads a text in pieces of a size. */
function parseStats(text: string, size: number): Map<string, number> | undefined {
  const stats = new Map<string, number>();
  const scanner = new StatScanner((name, value) => stats.set(name, value));
  for (let from = 0; from < text.length; from += size) {
    if (!scanner.take(text.slice(from, from + size))) return undefined;
  }
  return scanner.end() ? stats : undefined;
}

const long = "x".repeat(100_000);

const cases: readonly [name: string, text: string, expected: Record<string, number> | undefined][] = [
  ["an empty answer has no stats", "", {}],
  ["a name with dots stays whole", "http.outbound_0.0.0.0_8080.x: 3\n", { "http.outbound_0.0.0.0_8080.x": 3 }],
  ["a name with a semicolon stays whole", "http.outbound_0.0.0.0_8443;.x: 0\n", { "http.outbound_0.0.0.0_8443;.x": 0 }],
  [
    "a name with pipes and brackets stays whole",
    "cluster.outbound|80||a.b;.x: 1\nlistener.[__]_80.x: 2\n",
    { "cluster.outbound|80||a.b;.x": 1, "listener.[__]_80.x": 2 },
  ],
  [
    "histograms and text readouts are passed over",
    'a: No recorded values\nb: P0(nan,1) P25(nan,2)\nc: "x: 1"\nd: 1\n',
    { d: 1 },
  ],
  ["a page of HTML is no answer", "<html>\n<body>busy</body>\n", undefined],
  ["half a line is no answer", "http.a.downstream_rq_active: 12\nhttp.b.downstream", undefined],
  ["a number that was cut is no answer", "http.a.downstream_rq_active: 1", undefined],
  ["a negative or broken number is no answer", "a: -1\n", undefined],
  ["null bytes are no answer", "\0\0\0\n", undefined],
  ["a number that no counter can have is no answer", `a: ${"9".repeat(400)}\n`, undefined],
  ["a long name with nothing in flight is passed over", `http.${long}.x: 0\nb: 1\n`, { b: 1 }],
  [
    "of a long cluster the beginning is shown",
    `cluster.${long}.x: 7\nb: 1\n`,
    { [`cluster.${"x".repeat(248)}…`]: 7, b: 1 },
  ],
  ["a long name that could hide work is no answer", `http.${long}.downstream_rq_active: 1\nb: 1\n`, undefined],
  ["a long line of nonsense is no answer", `${long}\n`, undefined],
  ["a long line without an end is no answer", `cluster.${long}`, undefined],
];

for (const [name, text, expected] of cases) {
  test(name, () => {
    for (const size of [1, 7, 4096, Infinity]) {
      const stats = parseStats(text, size);
      assert.deepEqual(stats && Object.fromEntries(stats), expected, `in pieces of ${size}`);
    }
  });
}

test("what is kept of a line without an end does not grow", () => {
  const scanner = new StatScanner(() => {});
  scanner.take(long);
  const before = process.memoryUsage().heapUsed;
  for (let piece = 0; piece < 2000; piece++) scanner.take(long);
  assert.ok(process.memoryUsage().heapUsed - before < 100_000_000, "of 200 million characters");
});
