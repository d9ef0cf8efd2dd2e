/**
 * The ports of a real hc process: every kind of check, and what must not be reachable.
 */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { after, before, suite, test } from "node:test";
import { fakeGateway } from "./hc-fake-gateway.ts";
import { ask, type HcProcess, until } from "./hc-process.ts";

/** Sends raw bytes and gives all that comes back. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8").on("data", (chunk) => {
      answer += chunk;
    });
    socket.once("close", () => resolve(answer));
    socket.once("error", reject);
  });
}

suite("the health port", { concurrency: 8 }, () => {
  let hc: HcProcess;
  const cleanups: (() => unknown)[] = [];
  before(async () => {
    const owner = { after: (run: () => unknown) => void cleanups.push(run) };
    ({ hc } = await fakeGateway(owner, { HEALTH_PATHS: "/health_check.html,/lb/check" }));
  });
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  const requests: readonly [name: string, bytes: string, status: number, body: string][] = [
    ["HAProxy's default check", "OPTIONS / HTTP/1.0\r\n\r\n", 200, "OPEN\n"],
    ["GET with HTTP/1.0 and no header", "GET /health_check.html HTTP/1.0\r\n\r\n", 200, "OPEN\n"],
    ["HTTP/1.1 without Host", "GET /health_check.html HTTP/1.1\r\n\r\n", 200, "OPEN\n"],
    [
      "header names in any case",
      "GET /health_check.html HTTP/1.1\r\nhOST: hc\r\nCONNECTION: keep-alive\r\n\r\n",
      200,
      "OPEN\n",
    ],
    ["HEAD has the headers and no body", "HEAD /health_check.html HTTP/1.0\r\n\r\n", 200, ""],
    ["OPTIONS with HTTP/1.1", "OPTIONS /lb/check HTTP/1.1\r\nHost: x\r\n\r\n", 200, "OPEN\n"],
    ["a path with a query", "GET /lb/check?server=a HTTP/1.0\r\n\r\n", 200, "OPEN\n"],
    ["a whole URL as path", "GET http://hc/lb/check HTTP/1.1\r\nHost: hc\r\n\r\n", 200, "OPEN\n"],
    ["the kubelet's readiness probe", "GET /health HTTP/1.1\r\nHost: x\r\n\r\n", 200, "OPEN\n"],
    ["the kubelet's liveness probe", "GET /live HTTP/1.1\r\nHost: x\r\n\r\n", 200, "alive\n"],
    [
      "a path that nobody told of",
      "GET /other HTTP/1.0\r\n\r\n",
      404,
      "not a path of hc; HEALTH_PATHS says which the load balancer checks\n",
    ],
    [
      "a method that changes things",
      "POST /health_check.html HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
      405,
      "only GET, HEAD and OPTIONS\n",
    ],
  ];
  for (const [name, bytes, status, body] of requests) {
    test(name, async () => {
      const answer = await raw(hc.ports.health, bytes);
      const [head = "", rest] = answer.split("\r\n\r\n");
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(head, /\r\nConnection: close/);
      assert.equal(rest, body);
      if (bytes.startsWith("HEAD")) assert.match(head, /\r\nContent-Length: 5\r\n/);
    });
  }

  test("a bare connect, and a check that is reset after the answer, are no errors", async () => {
    await new Promise<void>((resolve) => {
      const bare = connect(hc.ports.health, "127.0.0.1", () => {
        bare.destroy();
        resolve();
      });
    });
    const reset = connect(hc.ports.health, "127.0.0.1", () => reset.write("OPTIONS / HTTP/1.0\r\n\r\n"));
    await new Promise<void>((resolve) => {
      reset.once("data", () => {
        reset.resetAndDestroy();
        resolve();
      });
    });
    assert.equal(await hc.lb(), 200);
    assert.match(await hc.metrics(), /unexpected_errors_total 0/);
  });

  test("nonsense is refused and harms nobody", async () => {
    assert.match(await raw(hc.ports.health, "\u0016\u0003\u0001 TLS\r\n\r\n"), /^HTTP\/1\.1 400 /);
    assert.match(await raw(hc.ports.health, `GET /${"x".repeat(20_000)} HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 4(14|31) /);
    assert.equal(await hc.lb(), 200);
  });

  test("a slow client is cut off", async () => {
    const socket = connect(hc.ports.health, "127.0.0.1", () => socket.write("GET /health_ch"));
    const drip = setInterval(() => socket.write("e"), 200);
    socket.on("error", () => {});
    await new Promise((resolve) => socket.once("close", resolve));
    clearInterval(drip);
  });

  test("metrics are there, and nothing else on that port", async () => {
    const text = await hc.metrics();
    assert.match(text, /gracegate_hc_state\{state="OPEN"\} 1/);
    assert.match(text, /gracegate_hc_drain_timeout_seconds 15/);
    assert.match(text, /gracegate_hc_drains_total\{result="blind"\} 0/);
    assert.equal((await ask(hc.ports.metrics, "/", "GET")).status, 404);
    assert.equal((await ask(hc.ports.metrics, "/metrics", "POST")).status, 404);
  });

  test("the control port tells what it takes", async () => {
    assert.equal((await ask(hc.ports.control, "/drain", "GET")).status, 405);
    assert.equal((await ask(hc.ports.control, "/status", "POST")).status, 405);
    const unknown = await ask(hc.ports.control, "/quit", "POST");
    assert.equal(unknown.status, 404);
    assert.match(unknown.body, /POST \/drain/);
  });

  test("nothing that changes state answers on the address of the pod", async (context) => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((one) => one !== undefined && !one.internal && one.family === "IPv4")?.address;
    if (address === undefined) return context.skip("this machine has no address but loopback");
    assert.equal((await ask(hc.ports.health, "/health_check.html", "GET", address)).status, 200);
    for (const path of ["/drain", "/close-lb", "/close", "/reopen", "/status"]) {
      await assert.rejects(ask(hc.ports.control, path, "POST", address), /ECONNREFUSED/);
      for (const port of [hc.ports.health, hc.ports.metrics]) {
        assert.ok((await ask(port, path, "POST", address)).status >= 404);
      }
    }
    assert.equal((await hc.status()).state, "OPEN");
  });

  const strangers: readonly [name: string, head: string, status: number][] = [
    ["localhost", "Host: localhost:18181", 200],
    ["another port, as of a port-forward", "Host: 127.0.0.1:9999", 200],
    ["::1 in any case", "hOST: [::1]", 200],
    ["no Host at all, which no browser does", "X: y", 200],
    ["a name that points to loopback", "Host: attacker.example:18181", 403],
    ["a name that begins like loopback", "Host: localhost.attacker.example", 403],
    ["a name behind a user", "Host: localhost:1@attacker.example", 403],
    ["an address of the pod", "Host: 10.0.0.7:18181", 403],
    ["an empty Host", "Host: ", 403],
    ["a web page of another origin", "Host: localhost:18181\r\nOrigin: https://attacker.example", 403],
    ["a web page of loopback", "Host: localhost:18181\r\nOrigin: http://localhost:18181", 403],
    ["a web page without a name", "Host: localhost:18181\r\nOrigin: null", 403],
  ];
  for (const [name, head, status] of strangers) {
    test(`the control port answers ${status} to ${name}`, async () => {
      const wishes = ["GET /status", ...(status === 403 ? ["POST /drain", "POST /close", "POST /other"] : [])];
      for (const wish of wishes) {
        const answer = await raw(hc.ports.control, `${wish} HTTP/1.1\r\n${head}\r\n\r\n`);
        assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
      }
      assert.equal((await hc.status()).state, "OPEN");
    });
  }

  test("a whole URL of a foreign host is refused on the control port, whatever the Host says", async () => {
    const bytes = "POST http://attacker.example/drain HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assert.match(await raw(hc.ports.control, bytes), /^HTTP\/1\.1 403 /);
    assert.equal((await hc.status()).state, "OPEN");
  });

  test("a request that tells what is refused is answered with a sentence", async () => {
    const answer = await raw(hc.ports.control, "POST /drain HTTP/1.1\r\nHost: attacker.example\r\n\r\n");
    assert.match(answer, /the Host is not loopback's; write localhost, 127\.0\.0\.1 or \[::1\]/);
  });

  test("the control port listens on both loopback addresses", async () => {
    assert.equal((await ask(hc.ports.control, "/status", "GET", "::1")).status, 200);
  });
});

suite("a hc of its own", { concurrency: 4 }, () => {
  test("a thousand idle connections do not keep the load balancer out", async (context) => {
    const { proxy, hc } = await fakeGateway(context);
    const hook = hc.get("/drained");
    await until("the hook is held", async () => (await hc.status()).heldRequests === 1);
    hc.child.kill("SIGTERM");
    proxy.inFlight = 1;
    const idle: Socket[] = [];
    context.after(() => {
      for (const socket of idle) socket.destroy();
    });
    for (let count = 0; count < 1000; count++) {
      const socket = connect(hc.ports.health, "127.0.0.1");
      socket.on("error", () => {});
      idle.push(socket);
      if (count % 100 === 0) assert.equal(await hc.lb(), 200);
    }
    for (let check = 0; check < 20; check++) assert.equal(await hc.lb(), 200);
    proxy.inFlight = 0;
    assert.equal((await hook).status, 200, "the kubelet's hook is not among the connections that go");
  });

  test("answers can be replaced by the policy", async (context) => {
    const LB_ANSWERS = JSON.stringify({
      open: { body: "UP" },
      draining: { status: 418, body: "bye" },
      closing: { status: 500 },
    });
    const { proxy, hc } = await fakeGateway(context, {
      LB_ANSWERS,
      LB_BUFFER: "20",
      GRACE_PERIOD: "90",
    });
    assert.equal((await hc.get("/")).body, "UP");
    proxy.inFlight = 1;
    hc.child.kill("SIGTERM");
    await hc.reaches("DRAINING");
    const { status, body } = await hc.get("/");
    assert.deepEqual([status, body], [418, "bye"]);
    proxy.inFlight = 0;
    await hc.reaches("CLOSING");
    const closing = await hc.get("/");
    assert.deepEqual([closing.status, closing.body], [500, "CLOSING\n"]);
  });

  test("without a drain answer the whole answer of OPEN is held, for monitors that match on its body", async (context) => {
    const { proxy, hc } = await fakeGateway(context);
    const open = await hc.get("/");
    proxy.inFlight = 1;
    hc.child.kill("SIGTERM");
    await hc.reaches("DRAINING");
    assert.deepEqual(await hc.get("/"), open);
    assert.equal((await hc.get("/health")).body, "DRAINING\n");
  });
});
