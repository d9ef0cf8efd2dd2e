/**
 * The application of probe-target, on real sockets.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { test } from "node:test";
import { WebSocket } from "ws";
import { type ApplicationOptions, startApplication } from "../../src/probe/application/application.ts";
import { gracegate, targetProcess, until } from "./program.ts";

const plain: ApplicationOptions = {
  host: "127.0.0.1",
  port: 0,
  tcpPort: undefined,
  name: "a",
  http2: false,
  tls: undefined,
};

test("it answers at every path, and names itself", async () => {
  const application = await startApplication(plain);
  const url = `http://127.0.0.1:${application.port}`;
  const cases: readonly [string, number, RegExp][] = [
    ["/", 200, /^a\n$/],
    ["/sleep?seconds=0.01", 200, /^slept 0.01 s\n$/],
    ["/stream?chunks=3&interval=0.01", 200, /^chunk 1 of 3\nchunk 2 of 3\nchunk 3 of 3\n$/],
    ["/stream?chunks=1", 200, /^chunk 1 of 1\n$/],
    ["/counts", 200, /"name":"a"/],
    ["/sleep?seconds=long", 400, /seconds must be a number/],
    ["/sleep?seconds=", 400, /seconds must be a number/],
    ["/stream?chunks=0", 400, /chunks must be 1/],
    ["/other", 404, /There are/],
    ["/__proto__", 404, /There are/],
  ];
  for (const [path, status, body] of cases) {
    const answer = await fetch(url + path);
    assert.equal(answer.status, status, path);
    assert.match(await answer.text(), body);
    assert.equal(answer.headers.get("x-probe-target"), "a");
  }
  await application.stop(0);
  assert.deepEqual(application.seen.requests, {
    "/": 1,
    "/sleep": 3,
    "/stream": 3,
    "/ws": 0,
    "/counts": 1,
    other: 2,
  });
  assert.equal(application.seen.completed, cases.length);
});

test("a client that goes away in the middle is counted as aborted", async () => {
  const application = await startApplication(plain);
  const url = `http://127.0.0.1:${application.port}`;
  await assert.rejects(fetch(`${url}/sleep?seconds=60`, { signal: AbortSignal.timeout(100) }));
  await until(() => application.seen.inFlight === 0);
  assert.equal(application.seen.aborted, 1);
  await application.stop(0);
});

test("a WebSocket gets its messages back, and 1001 when the target stops", async () => {
  const application = await startApplication(plain);
  const socket = new WebSocket(`ws://127.0.0.1:${application.port}/ws`);
  await once(socket, "open");
  socket.send("hello");
  const [message] = await once(socket, "message");
  assert.equal(String(message), "hello");
  const closed = once(socket, "close");
  await application.stop(0);
  assert.equal((await closed)[0], 1001);
  assert.equal(application.seen.webSocketMessages, 1);
});

test("an upgrade at another path is refused with 404", async () => {
  const application = await startApplication(plain);
  const socket = new WebSocket(`ws://127.0.0.1:${application.port}/other`);
  const [error] = await once(socket, "error");
  assert.match(String(error), /404/);
  await application.stop(0);
});

test("the echo sends back what it gets", async () => {
  const application = await startApplication({ ...plain, tcpPort: 0 });
  const socket = connect(application.tcpPort ?? 0, "127.0.0.1");
  socket.write("ping\n");
  assert.equal(String((await once(socket, "data"))[0]), "ping\n");
  socket.destroy();
  await application.stop(0);
  assert.equal(application.seen.echoedBytes, 5);
});

test("a request in flight finishes within the grace, and is cut after it", async () => {
  for (const [graceMs, isWhole] of [
    [5000, true],
    [0, false],
  ] as const) {
    const application = await startApplication(plain);
    const answer = fetch(`http://127.0.0.1:${application.port}/sleep?seconds=0.3`).then(
      () => true,
      () => false,
    );
    await until(() => application.seen.inFlight > 0);
    await application.stop(graceMs);
    assert.equal(await answer, isWhole);
  }
});

test("HTTP/2 is spoken without TLS when it is asked for", async () => {
  const application = await startApplication({ ...plain, http2: true });
  const session = connectHttp2(`http://127.0.0.1:${application.port}`);
  const stream = session.request({ ":path": "/stream?chunks=2&interval=0.01" });
  const [headers] = await once(stream, "response");
  assert.equal(headers["x-probe-target"], "a");
  stream.resume();
  await once(stream, "end");
  await new Promise<void>((resolve) => session.close(resolve));
  await application.stop(0);
});

test("SIGTERM ends the command with its counts on stdout", async () => {
  const target = await targetProcess("--name", "b");
  const answer = await fetch(target.url);
  assert.equal(await answer.text(), "b\n");
  const counts = JSON.parse(await target.stop());
  assert.equal(counts.completed, 1);
});

test("wrong options and taken ports end the command with a sentence", async () => {
  const target = await targetProcess();
  const port = new URL(target.url).port;
  const cases: readonly [readonly string[], number, RegExp][] = [
    [["--port", "99999"], 2, /--port 99999 is not a whole number from 0 to 65535/],
    [["--tcp-port", "x"], 2, /--tcp-port x is not a whole number/],
    [["--cert", "cert.pem"], 2, /--cert and --key go together/],
    [["--cert", "/none", "--key", "/none"], 2, /--cert \/none cannot be read/],
    [["--host", "127.0.0.1", "--port", port], 1, /127\.0\.0\.1:[0-9]+ cannot be used: address already in use/],
  ];
  for (const [args, code, sentence] of cases) {
    const ended = await gracegate("probe-target", ...args);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, sentence);
  }
  await target.stop();
});
