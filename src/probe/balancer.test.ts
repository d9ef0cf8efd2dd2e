import assert from "node:assert/strict";
import { test } from "node:test";
import { type BalancerVerdict, judgeBalancer } from "./balancer.ts";
import type { Kind } from "./outcome.ts";
import type { Visit } from "./watch.ts";

const TRIGGER_MS = 5000;
const LONG_MS = 20_000;

function visit(role: Visit["role"], startedMs: number, backend: string | undefined, kind: Kind = "ok"): Visit {
  const endedMs = role === "long" ? 20_000 : startedMs + 1;
  const outcome = { kind, detail: "", phase: "wait", bytes: 0, reused: role === "kept", backend } as const;
  return { role, startedMs, endedMs, outcome };
}

/** One visit of each role every 100 ms for 20 s; the backend is what the functions say. */
function watch(
  newTo: (atMs: number, index: number) => string | undefined,
  keptTo: (atMs: number, index: number) => string | undefined,
): Visit[] {
  return [
    visit("long", 0, "a"),
    visit("long", 0, "b"),
    ...Array.from({ length: 200 }, (_, index) => index * 100).flatMap((atMs, index) => [
      visit("new", atMs, newTo(atMs, index)),
      visit("kept", atMs, keptTo(atMs, index)),
    ]),
  ];
}

const turns = (_: number, index: number) => (index % 2 === 0 ? "a" : "b");
const untilTrigger = (atMs: number, index: number) => (atMs < TRIGGER_MS + 300 ? turns(atMs, index) : "b");
const flushed = { ...visit("long", 0, "a", "closed"), endedMs: 6400 };

const cases: readonly [string, readonly Visit[], BalancerVerdict["verdict"], RegExp][] = [
  [
    "a long request that is cut means flushing",
    [...watch(untilTrigger, untilTrigger), flushed],
    "flushes",
    /1 of 3 long requests and 0 requests on kept connections were cut, the first 1\.4 s after the trigger \(closed/,
  ],
  [
    "kept connections that leave with the new ones mean draining",
    watch(untilTrigger, untilTrigger),
    "drains",
    /left a/,
  ],
  [
    "a long request that the balancer itself answers with 502 was cut",
    [
      ...watch(untilTrigger, untilTrigger),
      { ...flushed, outcome: { ...flushed.outcome, kind: "5xx", detail: "502", backend: undefined } },
    ],
    "flushes",
    /were cut/,
  ],
  [
    "a complete 503 of a backend was not cut",
    [...watch(untilTrigger, untilTrigger), { ...flushed, outcome: { ...flushed.outcome, kind: "5xx", detail: "503" } }],
    "drains",
    /left a/,
  ],
  ["kept connections that stay mean keeping", watch(untilTrigger, turns), "keeps", /left a .* still went there/],
  ["no backend that leaves means that nothing was disabled", watch(turns, turns), "unknown", /\(a, b\): none was/],
  [
    "without names of backends only flushing can be ruled out",
    watch(
      () => undefined,
      () => undefined,
    ),
    "unknown",
    /None of 2 long requests was cut.*--backend-header/,
  ],
  ["without a long request nothing can be said", [visit("new", 0, "a")], "unknown", /longer --seconds/],
];

for (const [name, visits, verdict, because] of cases) {
  test(name, () => {
    const judged = judgeBalancer(visits, TRIGGER_MS, LONG_MS);
    assert.equal(judged.verdict, verdict, judged.because);
    assert.match(judged.because, because);
  });
}
