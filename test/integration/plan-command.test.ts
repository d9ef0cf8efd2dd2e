/**
 * `gracegate plan` as a process.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { LB_PROFILES } from "../../src/balancers/profiles.ts";
import { plan } from "../../src/commands/plan.ts";
import { validatePolicy } from "../../src/policy/validate.ts";
import { gracegate, piped } from "./program.ts";
import { refusalOf } from "./wrong-use.ts";

const HAPROXY = "examples/haproxy/haproxy.cfg";

describe("gracegate plan", () => {
  it("prints the runbook's table in 80 columns", async () => {
    const { code, stdout, stderr } = await gracegate("plan", "--p99", "30", "--interval", "2s", "--fall", "2");
    assert.equal(code, 0);
    assert.equal(stderr, "");
    for (const row of [/drain timeout +36s/, /LB buffer +9s/, /termination drain duration +36s/, /grace period +75s/]) {
      assert.match(stdout, row);
    }
    assert.ok(stdout.split("\n").every((line) => line.length <= 80));
    assert.ok(!stdout.includes("\u001b"));
  });

  it("keeps to 80 columns for every balancer, but for names of annotations that are longer", async () => {
    for (const profile of LB_PROFILES) {
      const { stdout } = await gracegate("plan", "--p99", "30s", "--lb", profile);
      const wide = stdout.split("\n").filter((line) => line.length > 80 && !/^ +service\.beta\./.test(line));
      assert.deepEqual(wide, [], profile);
    }
  });

  it("prints for AWS what AWS takes, and says what it raised and what IP targets need", async () => {
    for (const profile of ["aws-nlb", "aws-nlb-keep", "aws-alb"]) {
      const { stdout } = await gracegate("plan", "--p99", "30s", "--lb", profile, "--interval", "1500ms");
      assert.match(stdout, /--health-check-interval-seconds 5 --health-check-timeout-seconds 2 /);
      assert.match(stdout, /LB buffer +\d+s +5s × /);
      assert.match(stdout, new RegExp(`${profile} takes a check interval of at least 5s: 1.5s is counted as 5s`));
      assert.match(stdout, /of type ip: port 18180/);
    }
  });

  it("says what it assumed", async () => {
    const { stderr } = await gracegate("plan");
    assert.equal(
      stderr.replaceAll("\n", " "),
      "Assumed: a p99 of 30s (--p99 says yours) and a generic balancer (--lb says yours). ",
    );
    assert.equal((await gracegate("plan", "--drain-timeout", "40s", "--lb", "haproxy")).stderr, "");
    assert.equal((await gracegate("plan", "--role", "sidecar")).stderr, "");
  });

  it("-o yaml is a policy that the webhook takes, -o json is for programs", async () => {
    const yaml = await gracegate("plan", "--p99", "20s", "--lb", "f5", "--namespace", "edge", "-o", "yaml");
    assert.ok(validatePolicy(parse(yaml.stdout)).ok);
    const json = JSON.parse((await gracegate("plan", "--p99", "20s", "--lb", "f5", "-o", "json")).stdout);
    assert.equal(json.budget.drainTimeout.seconds, 24);
    assert.equal(json.profile, "f5");
  });

  it("reads the checks from a HAProxy configuration, and the slowest server decides", async () => {
    const { code, stdout, stderr } = await gracegate("plan", "--p99", "30s", "--haproxy-config", HAPROXY);
    assert.equal(code, 0);
    assert.match(stdout, /^gateways\/node-2 +5s +2 +2 +30180 +yes +cut$/m);
    assert.match(stdout, /LB buffer +15s +5s × 2 \+ 5s = 15s/);
    assert.match(stderr, /gateways\/node-2 is the slowest/);
    const json = await gracegate("plan", "--haproxy-config", HAPROXY, "--interval", "1s", "-o", "json");
    const data = JSON.parse(json.stdout);
    assert.equal(data.profile, "haproxy");
    assert.equal(data.budget.lbBuffer.seconds, 7);
    assert.equal(data.haproxyServers.length, 2);
  });

  it("reads a HAProxy configuration from stdin, and hc answers at the path that is asked for", async () => {
    const args = ["plan", "--p99", "30s", "--path", "/healthz", "-o"];
    const piece = await piped(readFileSync(HAPROXY), ...args, "json", "--haproxy-config", "-");
    assert.equal(JSON.parse(piece.stdout).haproxyServers.length, 2);
    const policy = parse((await gracegate(...args, "yaml")).stdout);
    assert.ok(validatePolicy(policy).ok);
    assert.deepEqual(policy.spec.gateway.hc, { healthPaths: ["/healthz"] });
  });

  it("tells every kind of appliance where the balancer is not known, and the least of Istio's own", async () => {
    const { stdout } = await gracegate("plan", "--p99", "30s");
    for (const title of ["Any balancer", "HAProxy", "NetScaler", "F5 BIG-IP (tmsh)"])
      assert.ok(stdout.includes(`\n${title}\n`));
    const sidecar = await gracegate("plan", "--role", "sidecar", "--p99", "1500ms");
    assert.match(
      sidecar.stdout,
      /drain timeout +2s[\s\S]*termination drain duration +5s +the least that a proxy drains for/,
    );
  });

  it("-o markdown is a page", async () => {
    const { stdout } = await gracegate("plan", "--lb", "gcp", "-o", "markdown");
    assert.match(stdout, /^# Plan: a gateway behind gcp\n/);
    assert.match(stdout, /^```sh\ngcloud compute health-checks create http/m);
  });

  it("ends with 2 for options that cannot work, and for unknown ones", async () => {
    for (const [args, sentence] of [
      [["--p99", "soon"], /--p99 soon is not a duration/],
      [["--colour"], /unknown option/],
    ] as const) {
      const { code, stdout, stderr } = await gracegate("plan", ...args);
      assert.equal(code, 2);
      assert.equal(stdout, "");
      assert.match(stderr, sentence);
    }
  });

  const wrong: readonly [args: readonly string[], sentence: RegExp][] = [
    [["--p99", "soon"], /--p99 soon is not a duration/],
    [["--p99", "3s", "--drain-timeout", "3s"], /two ways/],
    [["--lb", "nginx"], /--lb nginx is no profile; there are generic,/],
    [["--fall", "0"], /--fall 0 is not a whole number from 1 to 100/],
    [["--role", "mesh"], /--role mesh is no role/],
    [["--role", "sidecar", "--check-timeout", "1s"], /--check-timeout goes with --role gateway/],
    [["-o", "xml"], /-o xml is not a format/],
    [["--haproxy-config", "no-such-file"], /cannot be read/],
    [["--haproxy-config", HAPROXY, "--backend", "x"], /no backend x with a server line; there are gateways/],
    [["--application-stop", "5s"], /--application-stop goes with --role sidecar/],
    [["--role", "sidecar", "--node-port", "30181"], /--node-port goes with --role gateway/],
    [["--role", "sidecar", "--path", "/x"], /--path goes with --role gateway/],
    [["--name", "Bad Name!"], /--name Bad Name! is no name that Kubernetes takes/],
    [["--namespace", "Edge"], /--namespace Edge is no name/],
    [["--path", "nopath"], /--path nopath is no path of a URL/],
    [["--fall", "0x10"], /--fall 0x10 is not a whole number from 1 to 100/],
    [["--backend", "x"], /goes with --haproxy-config/],
    [["--haproxy-config", "package.json"], /has no backend with a server line/],
    [["--max-grace-period", "1d"], /--max-grace-period 1d is not a duration/],
    [["--interval", "0"], /checkInterval is 0/],
  ];
  for (const [args, sentence] of wrong) {
    it(`refuses ${args.join(" ")}`, async () => {
      assert.match(await refusalOf(plan, args), sentence);
    });
  }
});
