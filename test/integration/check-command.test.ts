/**
 * `gracegate check` as a process, and on manifests in the shapes that people use.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { parse } from "yaml";
import { application, documents, gateway, HC_SERVICE } from "../../src/check/example-manifests.ts";
import { rules } from "../../src/check/rules.ts";
import { check } from "../../src/commands/manifests.ts";
import { gracegate, gracegateIn, piped } from "./program.ts";
import { refusalOf } from "./wrong-use.ts";

const folder = mkdtempSync(join(tmpdir(), "gracegate-check-"));
after(() => rmSync(folder, { recursive: true }));

const BAD = `# keep me\n${gateway({ workload: ["replicas: 2 # two"] })}`;

describe("gracegate check", () => {
  it("ends with 0 and says so where nothing is found", async () => {
    const { code, stdout, stderr } = await gracegate("check", "-f", "examples", "-f", "examples/pods");
    assert.equal(stdout, "");
    assert.equal(code, 0);
    assert.match(stderr, /^nothing found in \d+ objects\.$/m);
  });

  it("ends with 1 and tells place, rule, reason and fix", async () => {
    const { code, stdout, stderr } = await piped(BAD, "check", "-f", "-");
    assert.equal(code, 1);
    assert.match(stdout, /^stdin:5 {2}Deployment edge\/edge\n {2}warning min-ready-seconds/);
    assert.match(stderr, /^1 warning in 1 object\.$/m);
    assert.match(stderr, /no drain answer\. Best first: let a replacement/);
    assert.ok(!stdout.includes("\u001b"));
  });

  it("gives no advice about balancers to a gateway whose replacement starts on its own node", async () => {
    const surging = gateway({
      kind: "DaemonSet",
      workload: ["minReadySeconds: 7", "updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }"],
    });
    const { code, stderr } = await piped(surging, "check", "-f", "-");
    assert.equal(code, 0);
    assert.ok(!stderr.includes("drain answer"), stderr);
  });

  it("gives no advice about balancers to a gateway that only a ClusterIP Service leads to", async () => {
    const inside = documents(gateway(), HC_SERVICE.replace("NodePort", "ClusterIP").replaceAll("18180", "8443"));
    const { code, stdout, stderr } = await piped(inside, "check", "-f", "-");
    assert.deepEqual([code, stdout, stderr], [0, "", "nothing found in 2 objects.\n"]);
  });

  it("finds no alert of the chart without its absent() companion", async () => {
    const files = ["hc", "webhook", "certificates", "kubernetes", "haproxy"];
    const texts = files.map((name) => readFileSync(`charts/gracegate/files/rules/${name}.yaml`, "utf8"));
    const groups = texts.flatMap((text) => (parse(text) as { groups: unknown[] }).groups);
    const rule = (of: unknown[]) =>
      JSON.stringify({
        apiVersion: "monitoring.coreos.com/v1",
        kind: "PrometheusRule",
        metadata: { name: "gracegate", namespace: "gracegate-system" },
        spec: { groups: of },
      });
    assert.equal((await piped(rule(groups), "check", "-f", "-")).stdout, "");
    assert.match((await piped(rule(groups.slice(0, 1)), "check", "-f", "-")).stdout, /alert-without-absent/);
  });

  it("--fail-on chooses what counts", async () => {
    assert.equal((await piped(BAD, "check", "-f", "-", "--fail-on", "error")).code, 0);
    const info = documents(gateway(), HC_SERVICE.replaceAll("18180", "8443"));
    assert.equal((await piped(info, "check", "-f", "-")).code, 0);
    assert.equal((await piped(info, "check", "-f", "-", "--fail-on", "info")).code, 1);
  });

  it("--fix mends files in place, keeps their comments, and the next run is clean", async () => {
    const file = join(folder, "gateway.yaml");
    writeFileSync(file, documents(BAD, application()));
    const fixed = await gracegate("check", "-f", file, "--fix");
    assert.equal(fixed.code, 0);
    assert.match(fixed.stderr, /1 mended/);
    assert.match(readFileSync(file, "utf8"), /# keep me[\s\S]*replicas: 2 # two\n[\s\S]*minReadySeconds: 7\n/);
    assert.equal((await gracegate("check", "-f", file)).code, 0);
  });

  it("--fix of stdin writes the manifest to stdout and the findings to stderr", async () => {
    const { stdout, code } = await piped(BAD, "check", "-f", "-", "--fix");
    assert.equal(code, 0);
    assert.match(stdout, /^# keep me\napiVersion[\s\S]*minReadySeconds: 7\n/);
  });

  it("-o json has findings and counts", async () => {
    const { stdout } = await piped(BAD, "check", "-f", "-", "-o", "json");
    const { findings, counts } = JSON.parse(stdout);
    assert.equal(findings[0].rule, "min-ready-seconds");
    assert.equal(counts.warning, 1);
  });

  it("checks the rest beside a document that cannot be read, and ends with 1", async () => {
    const { code, stdout } = await piped(`a: [\n---\n${BAD}`, "check", "-f", "-", "--fail-on", "error");
    assert.equal(code, 1);
    assert.match(stdout, /error unreadable/);
    assert.match(stdout, /min-ready-seconds/);
    assert.match((await gracegate("check", "-f", "no-such-file")).stdout, /no-such-file cannot be read/);
  });

  it("--rules lists every rule in 80 columns", async () => {
    const { stdout, code } = await gracegate("check", "--rules");
    assert.equal(code, 0);
    for (const { id } of rules) assert.match(stdout, new RegExp(`^${id} `, "m"));
    assert.ok(stdout.split("\n").every((line) => line.length <= 80));
    assert.equal(JSON.parse((await gracegate("check", "--rules", "-o", "json")).stdout).length, rules.length);
  });

  it("ends with 2 for options that cannot work, and for unknown ones", async () => {
    for (const [args, sentence] of [
      [[], /no manifest is given/],
      [["--colour"], /unknown option/],
    ] as const) {
      const { code, stdout, stderr } = await gracegate("check", ...args);
      assert.equal(code, 2);
      assert.equal(stdout, "");
      assert.match(stderr, sentence);
    }
  });

  const wrong: readonly [args: readonly string[], sentence: RegExp][] = [
    [[], /no manifest is given/],
    [["-f", "x", "--fail-on", "never"], /--fail-on never is none of info, warning, error/],
    [["-f", "x", "-o", "sarif"], /-o sarif is not a format/],
    [["-f", "-", "-f", "x", "--fix"], /either stdin or files/],
    [["-f", "x", "--cluster"], /-f and a cluster exclude each other/],
    [["--context", "x", "--fix"], /--fix mends manifests; a cluster is only read/],
    [["-f", folder], /has no \.yaml, \.yml or \.json file/],
  ];
  for (const [args, sentence] of wrong) {
    it(`refuses ${args.map((arg) => (arg === folder ? "an empty folder" : arg)).join(" ") || "no arguments"}`, async () => {
      rmSync(join(folder, "gateway.yaml"), { force: true });
      assert.match(await refusalOf(check, args), sentence);
    });
  }

  it("says in one sentence that kubectl is not there, or that the cluster does not answer", async () => {
    const bare = { ...process.env, PATH: folder };
    const without = await gracegateIn(bare, "check", "--cluster");
    assert.equal(without.code, 1);
    assert.equal(
      without.stderr,
      "the current context cannot be read: kubectl is not in PATH; install it, or check manifests with -f.\n",
    );
    if (spawnSync("kubectl", ["version", "--client"]).status !== 0) return;
    const nowhere = { ...process.env, KUBECONFIG: join(folder, "no-such-file") };
    const refused = await gracegateIn(nowhere, "check", "--context", "prod");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^prod cannot be read: [^\n]+\.\n$/);
  });

  const istio = "../shared/istio";
  it("finds in the real injector's manifests what is there, and nothing else", {
    skip: !existsSync(istio),
  }, async () => {
    const { stdout } = await gracegate("check", "-f", istio, "-o", "json");
    const found = new Set<string>(JSON.parse(stdout).findings.map(({ rule }: { rule: string }) => rule));
    // The proxy's image there is a `latest`, the stub lacks its pull policy, and the traffic's Service stands alone.
    assert.deepEqual([...found].sort(), [
      "hc-service-missing",
      "image-public-registry",
      "image-pull",
      "stub-pull-policy",
    ]);
  });
});
