/**
 * `gracegate explain` as a process.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { explain } from "../../src/commands/manifests.ts";
import { gracegate, piped } from "./program.ts";
import { refusalOf } from "./wrong-use.ts";

const folder = mkdtempSync(join(tmpdir(), "gracegate-explain-"));
after(() => rmSync(folder, { recursive: true }));

const GATEWAY = "examples/pods/gateway.yaml";

describe("gracegate explain", () => {
  it("shows the pod as it stands in 80 columns, and says where requests die", async () => {
    const { code, stdout, stderr } = await gracegate("explain", "-f", GATEWAY, "--policy", "examples/policies");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^✗ +\d+s {2}requests {5}/m);
    assert.doesNotMatch(stdout, /as Gracegate makes it/);
    assert.match(stderr, /--before-after adds it/);
    assert.ok(stdout.split("\n").every((line) => line.length <= 80));
    assert.ok(!stdout.includes("\u001b"));
  });

  it("--before-after shows both, and the picture has both side by side", async () => {
    const svg = join(folder, "gateway.svg");
    const { stdout } = await gracegate(
      "explain",
      "-f",
      GATEWAY,
      "--policy",
      "examples/policies",
      "--before-after",
      "--svg",
      svg,
    );
    assert.match(stdout, /as it is: termination[\s\S]*as Gracegate makes it: termination[\s\S]*SIGKILL finds nothing/);
    const picture = readFileSync(svg, "utf8");
    assert.match(picture, /^<svg xmlns/);
    assert.match(picture, /as it is[\s\S]*as Gracegate makes it/);
    assert.match(picture, /prefers-color-scheme:dark/);
  });

  it("reads stdin, and -o json is for programs", async () => {
    const { code, stdout } = await piped(readFileSync(GATEWAY), "explain", "-f", "-", "--after", "-o", "json");
    assert.equal(code, 0);
    const [explained] = JSON.parse(stdout);
    assert.equal(explained.views.length, 1);
    assert.ok(explained.views[0].timeline.gracePeriod >= 75);
  });

  it("what Gracegate made already is explained as it stands", async () => {
    const injected = await gracegate("inject", "-f", GATEWAY, "--policy", "examples/policies");
    const { stdout } = await piped(
      injected.stdout,
      "explain",
      "-f",
      "-",
      "--policy",
      "examples/policies",
      "--before-after",
      "-o",
      "json",
    );
    const [{ views }] = JSON.parse(stdout);
    assert.deepEqual(views[0].timeline, views[1].timeline);
  });

  it("draws a preStop whose length cannot be read, and says so; a plain sleep has no such words", async () => {
    const explained = async (script: string) => {
      const app = `{ name: web, image: web, lifecycle: { preStop: { exec: { command: [sh, -c, "${script}"] } } } }`;
      const proxy = "{ name: istio-proxy, image: proxyv2:1, args: [proxy, sidecar] }";
      const pod = `apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [${app}, ${proxy}] }\n`;
      return (await piped(pod, "explain", "-f", "-", "--before-after")).stdout;
    };
    const unread = await explained("while true; do sleep 40; done");
    assert.equal(unread.match(/^application +░+ preStop of unknown length ░+$/gm)?.length, 2);
    assert.match(unread, /0s {2}application {2}SIGTERM at the earliest: how long its preStop takes cannot/);
    assert.match(unread, /! web: how long its preStop takes cannot be read, so it counts as 0s/);
    assert.doesNotMatch(await explained("sleep 10"), /cannot be read|unknown length/);
  });

  it("tells why a pod is left alone", async () => {
    const pod = (metadata: string, spec = "containers: []") =>
      `apiVersion: v1\nkind: Pod\nmetadata: {name: a${metadata}}\nspec: {${spec}}\n`;
    const cases: readonly [manifest: string, reason: string][] = [
      [pod(", labels: {gracegate.dev/inject: 'false'}"), 'it says gracegate.dev/inject: "false"'],
      [pod(", annotations: {gracegate.dev/role: none}"), "it says gracegate.dev/role: none"],
      [pod("", "hostNetwork: true, containers: []"), "it is on the host network, where Istio injects nothing"],
      [
        pod("", "terminationGracePeriodSeconds: 0, containers: []"),
        "it wants to be killed at once (terminationGracePeriodSeconds: 0)",
      ],
      [pod(", annotations: {gracegate.dev/mode: Disabled}"), "the mode of its policy is Disabled"],
      [pod(", namespace: kube-system"), "the webhook never sees the namespace kube-system"],
    ];
    for (const [manifest, reason] of cases) {
      const { code, stderr } = await piped(manifest, "explain", "-f", "-");
      assert.equal(code, 0);
      assert.equal(
        stderr,
        `Pod ${manifest.includes("kube-system") ? "kube-system" : "default"}/a is left alone: ${reason}.\n`,
      );
    }
  });

  it("ends with 1 for a broken document, the others explained, and where there is no workload", async () => {
    const broken = await piped(`a: [\n---\n${readFileSync(GATEWAY, "utf8")}`, "explain", "-f", "-");
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /^stdin:\d+:\d+: /m);
    assert.match(broken.stdout, /termination/);
    const none = await piped("kind: Service\n", "explain", "-f", "-");
    assert.equal(none.code, 1);
    assert.match(none.stderr, /no workload/);
    assert.match((await gracegate("explain", "-f", GATEWAY, "--only", "x")).stderr, /no workload x; there are /);
    assert.match((await gracegate("explain", "-f", "no-such-file")).stderr, /no-such-file cannot be read/);
  });

  it("ends with 2 for options that cannot work, and for unknown ones", async () => {
    for (const [args, sentence] of [
      [[], /no manifest is given/],
      [["--colour"], /unknown option/],
    ] as const) {
      const { code, stdout, stderr } = await gracegate("explain", ...args);
      assert.equal(code, 2);
      assert.equal(stdout, "");
      assert.match(stderr, sentence);
    }
  });

  const wrong: readonly [args: readonly string[], sentence: RegExp][] = [
    [[], /no manifest is given/],
    [["-f", GATEWAY, "-o", "svg"], /-o svg is not a format/],
    [["-f", GATEWAY, "--after", "--before-after"], /exclude each other/],
    [["-f", "examples/pods", "--svg", "x.svg"], /choose it with --only/],
  ];
  for (const [args, sentence] of wrong) {
    it(`refuses ${args.join(" ") || "no arguments"}`, async () => {
      assert.match(await refusalOf(explain, args), sentence);
    });
  }
});
