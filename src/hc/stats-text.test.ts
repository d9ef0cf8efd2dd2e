import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStats } from "./stats-text.ts";

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
];

for (const [name, text, expected] of cases) {
  test(name, () => {
    const stats = parseStats(text);
    assert.deepEqual(stats && Object.fromEntries(stats), expected);
  });
}
