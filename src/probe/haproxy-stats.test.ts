import assert from "node:assert/strict";
import { createServer as createHttp } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { haproxyDifference, parseHaproxyCsv, readHaproxyStats } from "./haproxy-stats.ts";

const csv = (retries: number) =>
  [
    "# pxname,svname,qcur,econ,eresp,wretr,wredis,cli_abrt,srv_abrt,",
    "in,FRONTEND,,,,,,,,",
    `app,a,0,1,2,${retries},0,0,0,`,
    "app,b,0,0,0,0,0,0,0,",
    `app,BACKEND,0,1,2,${retries},0,0,0,`,
    "",
  ].join("\n");

const { signal } = new AbortController();

test("columns are found by name, and frontends are left out", () => {
  const rows = parseHaproxyCsv(csv(7));
  assert.deepEqual(
    rows.map(({ backend, server, counters }) => [backend, server, counters.wretr, counters.eresp]),
    [
      ["app", "a", 7, 2],
      ["app", "b", 0, 0],
      ["app", "BACKEND", 7, 2],
    ],
  );
});

test("the difference has only rows that gained something, and a restart counts from 0", () => {
  const gained = haproxyDifference(parseHaproxyCsv(csv(7)), parseHaproxyCsv(csv(10)));
  assert.deepEqual(
    gained.map(({ server, counters }) => [server, counters.wretr, counters.eresp]),
    [
      ["a", 3, 0],
      ["BACKEND", 3, 0],
    ],
  );
  assert.deepEqual(haproxyDifference(parseHaproxyCsv(csv(7)), parseHaproxyCsv(csv(7))), []);
  assert.equal(haproxyDifference(parseHaproxyCsv(csv(7)), parseHaproxyCsv(csv(2)))[0]?.counters.wretr, 2);
  assert.equal(haproxyDifference([], parseHaproxyCsv(csv(2)))[0]?.counters.wretr, 2);
});

test("the counters are read over HTTP, and what is not HAProxy's is said in a sentence", async () => {
  const server = createHttp((request, response) => {
    response.statusCode = request.url === "/none" ? 404 : 200;
    response.end(request.url === "/stats;csv" ? csv(1) : "<html>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  assert.equal((await readHaproxyStats(`${url}/stats;csv`, signal)).length, 3);
  await assert.rejects(readHaproxyStats(`${url}/stats`, signal), /the answer is not HAProxy's CSV/);
  await assert.rejects(readHaproxyStats(`${url}/none`, signal), /--haproxy-stats .*\/none: it answers 404\./);
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(readHaproxyStats(`${url}/stats;csv`, signal), /ECONNREFUSED/);
});

test("the counters are read over the stats socket", async () => {
  const path = join(tmpdir(), `probe-stats-${process.pid}.sock`);
  const server = createServer((socket) => {
    socket.once("data", (command) => socket.end(String(command) === "show stat\n" ? csv(4) : "Unknown command"));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  assert.equal((await readHaproxyStats(path, signal))[0]?.counters.wretr, 4);
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(readHaproxyStats(path, signal), /ENOENT/);
});
