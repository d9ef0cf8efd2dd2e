import assert from "node:assert/strict";
import { test } from "node:test";
import { COUNTERS, GAUGES, InFlightSum, RequestSum } from "./in-flight.ts";
import { StatScanner } from "./stats-text.ts";

const sentinels = "http.admin.downstream_rq_active: 1\nhttp.admin.downstream_cx_active: 1\n";

function read(lines: string, gate: "downstream" | "both" = "downstream", own = sentinels) {
  const sum = new InFlightSum(15021, gate);
  const scanner = new StatScanner((stat, value) => sum.add(stat, value));
  assert.ok(scanner.take(own + lines) && scanner.end());
  return sum.total();
}

const cases: readonly [name: string, lines: string, inFlight: number][] = [
  ["a gateway without listeners has nothing in flight", "", 0],
  [
    "requests of all connection managers count",
    "http.outbound_0.0.0.0_8080;.downstream_rq_active: 2\nhttp.outbound_0.0.0.0_8443;.downstream_rq_active: 3\n",
    5,
  ],
  [
    "the poll, the agent and Prometheus do not count",
    "http.agent.downstream_rq_active: 1\nhttp.stats.downstream_rq_active: 1\nhttp.secure_x.downstream_rq_active: 4\n",
    0,
  ],
  [
    "idle keep-alive connections do not count",
    "http.a;.downstream_cx_active: 7\nlistener.0.0.0.0_8080.downstream_cx_active: 7\n",
    0,
  ],
  [
    "connections that no connection manager owns count",
    "listener.0.0.0.0_9443.downstream_cx_active: 3\nhttp.a;.downstream_cx_active: 1\nlistener.0.0.0.0_8080.downstream_cx_active: 1\n",
    3,
  ],
  [
    "a manager that is a connection ahead of its listener does not take another's away",
    "http.a;.downstream_cx_active: 2\nlistener.0.0.0.0_8080.downstream_cx_active: 1\nhttp.a;.downstream_rq_active: 1\n",
    1,
  ],
  [
    "the listeners of the proxy itself do not count",
    "listener.admin.downstream_cx_active: 1\nlistener.admin.main_thread.downstream_cx_active: 1\nlistener.0.0.0.0_15021.downstream_cx_active: 2\nlistener.0.0.0.0_15090.downstream_cx_active: 1\nlistener.[__]_15021.downstream_cx_active: 1\nlistener.envoy_internal_connect_originate.downstream_cx_active: 5\n",
    0,
  ],
  [
    "Prometheus on another port than 15090 does not count",
    "listener.0.0.0.0_16000.downstream_cx_active: 2\nhttp.stats.downstream_cx_active: 2\nlistener.0.0.0.0_9443.downstream_cx_active: 1\n",
    1,
  ],
  [
    "Prometheus on 15090 takes no other connection away",
    "listener.0.0.0.0_15090.downstream_cx_active: 2\nhttp.stats.downstream_cx_active: 2\nlistener.0.0.0.0_9443.downstream_cx_active: 1\n",
    1,
  ],
  [
    "a worker's copy of a listener's stats does not count twice",
    "listener.0.0.0.0_9443.downstream_cx_active: 1\nlistener.0.0.0.0_9443.worker_0.downstream_cx_active: 1\n",
    1,
  ],
  [
    "requests to services of the mesh are shown and do not gate",
    "cluster.outbound|80||a.b;.upstream_rq_active: 4\n",
    0,
  ],
];

for (const [name, lines, inFlight] of cases) test(name, () => assert.equal(read(lines).inFlight, inFlight));

test("with DRAIN_GATE=both the requests to services of the mesh gate as well", () => {
  const lines = "cluster.outbound|80||a.b;.upstream_rq_active: 4\nhttp.a;.downstream_rq_active: 1\n";
  assert.equal(read(lines, "both").inFlight, 5);
  assert.equal(read(lines).upstream, 4);
  assert.deepEqual(read(lines, "both").waitingOn, [
    { stat: "cluster.outbound|80||a.b;.upstream_rq_active", value: 4 },
    { stat: "http.a;.downstream_rq_active", value: 1 },
  ]);
  assert.deepEqual(read(lines).waitingOn, [{ stat: "http.a;.downstream_rq_active", value: 1 }]);
});

test("without the admin's own gauge the suffix is hidden, which is not zero", () => {
  assert.deepEqual(read("", "downstream", "").hidden, ["downstream_rq_active", "downstream_cx_active"]);
  assert.deepEqual(read("", "downstream", "http.admin.downstream_cx_active: 1\n").hidden, ["downstream_rq_active"]);
  assert.deepEqual(read("").hidden, []);
});

test("requests are counted without the proxy's own, and hidden counters are not zero", () => {
  const requestsOf = (text: string) => {
    const sum = new RequestSum();
    assert.ok(new StatScanner((stat, value) => sum.add(stat, value)).take(text));
    return sum.total();
  };
  assert.equal(
    requestsOf(
      "http.admin.downstream_rq_total: 90\nhttp.agent.downstream_rq_total: 7\nhttp.a;.downstream_rq_total: 5\nhttp.b.downstream_rq_total: 1\n",
    ),
    6,
  );
  assert.equal(requestsOf("http.a;.downstream_rq_total: 5\n"), undefined);
});

test("of a mesh with many busy services the ten biggest are shown, and all are counted", () => {
  const lines = Array.from({ length: 1000 }, (_, at) => `http.a${at};.downstream_rq_active: ${(at * 7) % 1000}\n`);
  const { inFlight, waitingOn } = read(lines.join(""));
  assert.equal(inFlight, 499_500);
  assert.deepEqual(
    waitingOn.map(({ value }) => value),
    [999, 998, 997, 996, 995, 994, 993, 992, 991, 990],
  );
});

test("the filters take what is needed and nothing of the control plane", () => {
  const gauges = new RegExp(GAUGES);
  const counters = new RegExp(COUNTERS);
  assert.ok(gauges.test("http.outbound_0.0.0.0_8443;.downstream_rq_active"));
  assert.ok(gauges.test("cluster.inbound|8080||;.upstream_rq_active"));
  assert.ok(gauges.test("cluster.outbound_.9443_._.a.b.upstream_rq_active"));
  assert.ok(!gauges.test("cluster.xds-grpc;.upstream_rq_active"));
  assert.ok(!gauges.test("http.a.downstream_rq_active_extra"));
  assert.ok(counters.test("http.a;.downstream_rq_total"));
  assert.ok(!counters.test("cluster.a.upstream_rq_total"));
});
