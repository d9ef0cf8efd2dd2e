/**
 * `gracegate probe` as a person runs it, against a probe-target in a process of its own.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { closedPort } from "./fault-server.ts";
import { ended, gracegate, start, targetProcess } from "./program.ts";
import { eventually } from "./webhook-process.ts";

const ESCAPE = "\u001b";

/** Whether a probe-target has been asked for anything but its counts. */
async function isBusy(url: string): Promise<boolean> {
  const counts = (await (await fetch(`${url}/counts`)).json()) as {
    requests: Record<string, number>;
    echoedBytes: number;
  };
  const { requests, echoedBytes } = counts;
  return Number(requests["/sleep"]) + Number(requests["/stream"]) + echoedBytes > 0;
}

describe("gracegate probe", { concurrency: 4 }, () => {
  test("a load without losses passes, in plain text of 80 columns when piped", async () => {
    const target = await targetProcess();
    const { code, stdout, stderr } = await gracegate(
      ...["probe", "load", target.url, "--rate", "100", "--duration", "2s", "--long-share", "0.1", "--seconds", "1s"],
    );
    await target.stop();
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /2xx complete +200\n/);
    assert.match(stdout, /passed: nothing was lost/);
    assert.deepEqual(
      stdout.split("\n").filter((line) => line.length > 80 || line.includes(ESCAPE)),
      [],
    );
    assert.equal(stderr, "");
  });

  test("a target killed by the trigger: losses after T, exit code 1, a plot with the trigger in it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "probe-"));
    const svg = join(folder, "run.svg");
    const target = await targetProcess();
    const { code, stdout, stderr } = await gracegate(
      ...["probe", "load", target.url, "--rate", "50", "--duration", "3s", "-o", "json", "--svg", svg],
      ...["--trigger", `echo killing; kill -9 ${target.pid}`, "--trigger-at", "1s", "--max-5xx", "0"],
      ...["--max-connection-errors", "10"],
    );
    await target.stop();
    const report = JSON.parse(stdout);
    assert.equal(code, 1);
    assert.deepEqual(report.isVoid, []);
    assert.deepEqual(report.broken, [`${report.lost} connection errors, and --max-connection-errors allows 10.`]);
    assert.ok(report.outcomes.refused > 50, stdout);
    assert.ok(report.losses.every((loss: { atMs: number }) => loss.atMs >= report.trigger.atMs));
    assert.equal(report.outcomes.ok + report.lost, 150);
    assert.match(stderr, /trigger: killing\n/);
    assert.match(readFileSync(svg, "utf8"), /trigger: echo killing; kill -9/);
    rmSync(folder, { recursive: true });
  });

  test("counters of HAProxy that are gone at the end cost a note, not the report", async () => {
    const target = await targetProcess();
    let readings = 0;
    const stats = createServer((_request, response) => {
      readings += 1;
      response.statusCode = readings === 1 ? 200 : 503;
      response.end("# pxname,svname,wretr,\napp,BACKEND,0,\n");
    });
    await new Promise<void>((resolve) => stats.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(stats.address() as AddressInfo).port}/;csv`;
    const { code, stdout, stderr } = await gracegate(
      ...["probe", "long", target.url, "--seconds", "1s", "--haproxy-stats", url],
    );
    stats.close();
    await target.stop();
    assert.equal(code, 0, stderr);
    assert.match(stdout, /note: HAProxy's counters are missing\.[\s\S]*it answers 503[\s\S]*passed/);
  });

  test("losses before the trigger make the run void", async () => {
    const port = await closedPort();
    const { code, stdout } = await gracegate(
      ...["probe", "load", `http://127.0.0.1:${port}`, "--rate", "20", "--duration", "2s"],
      ...["--trigger", "true", "--trigger-at", "1s", "--max-lost", "1000"],
    );
    assert.equal(code, 1);
    assert.match(stdout, /void: \d+ of \d+ requests were lost before the trigger \(first: connection\s+refused/);
  });

  test("a trigger that fails makes the run void", async () => {
    const target = await targetProcess();
    const { code, stdout } = await gracegate(
      ...["probe", "load", target.url, "--rate", "20", "--duration", "2s", "--long-share", "0"],
      ...["--trigger", "exit 3", "--trigger-at", "1s"],
    );
    await target.stop();
    assert.equal(code, 1);
    assert.match(stdout, /void: The trigger's command ended with 3/);
  });

  test("a trigger that outlives the load is ended and makes the run void", async () => {
    const target = await targetProcess();
    const { code, stdout } = await gracegate(
      ...["probe", "load", target.url, "--rate", "20", "--duration", "2s", "--long-share", "0"],
      ...["--trigger", "sleep 60", "--trigger-at", "1s"],
    );
    await target.stop();
    assert.equal(code, 1);
    assert.match(stdout, /void: The load was over before the trigger's command was/);
  });

  for (const [scenario, length, signal] of [
    ["long", "--seconds", "SIGINT"],
    ["stream", "--chunks", "SIGHUP"],
    ["load", "--duration", "SIGTERM"],
    ["tcp", "--duration", "SIGINT"],
  ] as const) {
    test(`${scenario} on ${signal} reports what it has and is void`, async () => {
      const target = await targetProcess();
      const url = scenario === "tcp" ? target.tcp : target.url;
      const child = start(["probe", scenario, url, length, "60", "--long-share", "1", "--rate", "1"]);
      const output = ended(child);
      await eventually(() => isBusy(target.url));
      child.kill(signal);
      const { code, stdout } = await output;
      await target.stop();
      assert.equal(code, 1);
      assert.match(stdout, /unfinished +[1-9]\d*\n[\s\S]*void: It was interrupted\./);
      assert.match(stdout, /\nlost +0\n/);
    });
  }

  for (const protocol of [[], ["--http2"]]) {
    test(`a long request survives, over ${protocol.length === 0 ? "HTTP/1.1" : "HTTP/2"}`, async () => {
      const target = await targetProcess(...protocol);
      const { code, stdout } = await gracegate("probe", "long", target.url, "--seconds", "1s", ...protocol);
      await target.stop();
      assert.equal(code, 0);
      assert.match(stdout, /2xx complete +1\n/);
    });

    test(`a stream is whole or truncated, over ${protocol.length === 0 ? "HTTP/1.1" : "HTTP/2"}`, async () => {
      const target = await targetProcess(...protocol);
      const whole = await gracegate("probe", "stream", target.url, "--chunks", "2", ...protocol);
      const cut = await gracegate(
        ...["probe", "stream", target.url, "--chunks", "4", ...protocol],
        ...["--trigger", `kill -9 ${target.pid}`, "--trigger-at", "2s"],
      );
      await target.stop();
      assert.deepEqual([whole.code, cut.code], [0, 1]);
      assert.match(cut.stdout, /truncated body +1\n/);
      assert.match(cut.stdout, /nothing hides these/);
    });
  }

  test("held TCP connections that the target drops are lost at the trigger, and refused afterwards", async () => {
    const target = await targetProcess();
    const { code, stdout } = await gracegate(
      ...["probe", "tcp", target.tcp, "--connections", "5", "--duration", "3s", "-o", "json"],
      ...["--trigger", `kill -9 ${target.pid}`, "--trigger-at", "1s"],
    );
    await target.stop();
    const { outcomes } = JSON.parse(stdout);
    assert.equal(code, 1);
    assert.equal(outcomes.closed + outcomes.reset, 5, stdout);
    assert.ok(outcomes.refused >= 5, stdout);
  });

  test("TCP connections are held to the end", async () => {
    const target = await targetProcess();
    const { code, stdout } = await gracegate("probe", "tcp", target.tcp, "--connections", "50", "--duration", "2s");
    const counts = JSON.parse(await target.stop());
    assert.equal(code, 0, stdout);
    assert.match(stdout, /held to the end +50\n/);
    assert.equal(counts.connections, 50);
    assert.ok(counts.echoedBytes >= 50 * 16);
  });

  test("a watch says that a target which is killed has flushed its sessions", async () => {
    const target = await targetProcess();
    const { code, stdout, stderr } = await gracegate(
      ...["probe", "long", target.url, "--watch-resets", "--count", "2", "--seconds", "3s"],
      ...["--trigger", `kill -9 ${target.pid}`, "--trigger-at", "1s"],
    );
    await target.stop();
    assert.equal(code, 1);
    assert.match(stdout, /balancer: flushes sessions[\s\S]*2 of 2 long requests/);
    assert.equal(stderr, "");
  });

  test("a watch without a trigger asks a person to act", async () => {
    const target = await targetProcess();
    const { code, stdout, stderr } = await gracegate(
      ...["probe", "long", target.url, "--watch-resets", "--seconds", "2s", "--trigger-at", "1s"],
    );
    await target.stop();
    assert.equal(code, 0);
    assert.match(stderr, /^Disable one backend at the balancer 1 s from now/);
    assert.match(stdout, /balancer: cannot be told[\s\S]*none was disabled/);
  });

  const wrong: readonly [string, readonly string[], RegExp][] = [
    ["no scenario", [], /missing required argument/],
    ["an unknown scenario", ["burst", "http://h"], /"burst" is not a scenario; there are long, load, stream, tcp/],
    ["a target that is none", ["load", "shop"], /"shop" is not a target; write http:/],
    ["tcp at an http target", ["tcp", "http://h"], /the scenario tcp cannot probe http:/],
    ["a password in the target", ["load", "http://me:secret@h"], /"http:\/\/…@h" has a user or password/],
    ["a rate of 0", ["load", "http://h", "--rate", "0"], /--rate 0 is not a whole number from 1/],
    ["a share over 1", ["load", "http://h", "--one-shot", "2"], /--one-shot 2 is not a share/],
    ["a duration without sense", ["load", "http://h", "--duration", "soon"], /--duration soon is not a duration/],
    ["no time at all", ["load", "http://h", "--duration", "0"], /--duration must be 1s or more/],
    [
      "a trigger after the end",
      ["load", "http://h", "--trigger", "x", "--trigger-at", "9m"],
      /--trigger-at 540s is not/,
    ],
    ["long requests without a path", ["load", "http://h/a", "--long-share", "1"], /--long-share needs --long-path/],
    ["a watch of streams", ["stream", "http://h", "--watch-resets"], /--watch-resets goes with the scenario long/],
    ["a header without a name", ["load", "http://h", "--header", "x"], /--header "x" is not a header/],
    [
      "a header of the connection in HTTP/2",
      ["load", "http://h", "--http2", "--header", "upgrade: x"],
      /has no header upg/,
    ],
    ["a TE header in HTTP/2", ["load", "http://h", "--http2", "--header", "te: trailers"], /has no header te/],
    ["settings of h2c", ["load", "http://h", "--http2", "--header", "http2-settings: x"], /no header http2-settings/],
    ["an empty trigger", ["load", "http://h", "--trigger", ""], /--trigger is empty/],
    [
      "connections that are not open in time",
      ["tcp", "tcp://h:1", "--connections", "300", "--rate", "10"],
      /opening 300 connections at --rate 10 takes 30 s, and --duration is 30 s/,
    ],
    ["a long path with a space", ["load", "http://h", "--long-path", "/a b"], /--long-path "\/a b" is not a path/],
    ["a CA file without a certificate", ["load", "http://h", "--ca", "package.json"], /package.json has no PEM/],
    [
      "a plot in a folder that is not there",
      ["load", "http://h", "--svg", "/none/a.svg"],
      /--svg .* cannot be written/,
    ],
    ["a CA file that is not there", ["load", "http://h", "--ca", "/none"], /--ca \/none cannot be read/],
    ["a threshold that is no number", ["load", "http://h", "--max-5xx", "-"], /--max-5xx - is not a whole number/],
    ["an unknown format", ["load", "http://h", "-o", "xml"], /-o xml is not a format/],
    ["an unknown option", ["load", "http://h", "--fast"], /unknown option '--fast'/],
  ];
  for (const [name, args, sentence] of wrong) {
    test(`${name} is refused with exit code 2`, async () => {
      const { code, stdout, stderr } = await gracegate("probe", ...args);
      assert.equal(code, 2, stderr);
      assert.match(stderr, sentence);
      assert.equal(stdout, "");
    });
  }

  test("--help shows examples", async () => {
    const { code, stdout } = await gracegate("probe", "--help");
    assert.equal(code, 0);
    assert.match(stdout, /Examples:[\s\S]*gracegate probe load/);
  });
});
