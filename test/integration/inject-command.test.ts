/**
 * `gracegate inject` as a process.
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { inject } from "../../src/commands/manifests.ts";
import { gracegate, piped } from "./program.ts";
import { refusalOf } from "./wrong-use.ts";

const folder = mkdtempSync(join(tmpdir(), "gracegate-inject-"));
after(() => rmSync(folder, { recursive: true }));

const GATEWAY = "examples/pods/gateway.yaml";

function file(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("gracegate inject", () => {
  it("writes the manifest to stdout and words to stderr, from a file and from stdin alike", async () => {
    const args = ["inject", "--policy", "examples/policies", "--hc-image", "registry.example/gracegate:1"];
    const fromFile = await gracegate(...args, "-f", GATEWAY);
    assert.equal(fromFile.code, 0, fromFile.stderr);
    assert.match(fromFile.stdout, /- name: hc\n/);
    assert.equal(fromFile.stderr, "1 of 1 workloads changed.\n");
    const fromStdin = await piped(readFileSync(GATEWAY), ...args, "-f", "-");
    assert.deepEqual(fromStdin, fromFile);
    const again = await piped(fromFile.stdout, ...args, "-f", "-");
    assert.equal(again.stdout, fromFile.stdout);
    assert.equal(again.stderr, "0 of 1 workloads changed.\n");
  });

  it("says whose image hc has where nobody named one, and only there", async () => {
    const unnamed = await gracegate("inject", "-f", GATEWAY);
    assert.equal(unnamed.code, 0);
    assert.match(unnamed.stderr, /^hc's image is gracegate:\S+, which names no registry, so nodes [^\n]*--hc-image/m);
    const image = /^ +image: (gracegate:\S+)$/m.exec(unnamed.stdout)?.[1];
    assert.ok(image !== undefined && unnamed.stderr.includes(`is ${image},`));
    for (const path of ["examples/pods/sidecar.yaml", "examples/gateway.yaml"]) {
      assert.doesNotMatch((await gracegate("inject", "-f", path)).stderr, /hc's image/);
    }
  });

  it("ends with 1 for an empty stdin, which a failed command before the pipe leaves", async () => {
    assert.deepEqual(await piped("\n", "inject", "-f", "-"), {
      code: 1,
      stdout: "",
      stderr: "stdin is empty.\n0 of 0 workloads changed.\n",
    });
    assert.equal((await gracegate("inject", "-f", file("empty.yaml", ""))).code, 0);
  });

  it("passes on a file that needs nothing, byte for byte", async () => {
    const text = "# no workload\r\nkind:   Service\n\n\n---\n--- # twice\na: 'b'   # c\n# end";
    const { code, stdout } = await gracegate("inject", "-f", file("service.yaml", text));
    assert.equal(code, 0);
    assert.equal(stdout, text);
  });

  it("reports a broken document with file, line and column, does the others, and ends with 1", async () => {
    const path = file("broken.yaml", `a: 1\n---\na: 1\n]\n---\n${readFileSync(GATEWAY, "utf8")}`);
    const { code, stdout, stderr } = await gracegate("inject", "-f", path);
    assert.equal(code, 1);
    assert.ok(stderr.includes(`${path}:4:1: `), stderr);
    assert.match(stdout, /a: 1\n\]\n---\n[\s\S]*name: hc/);
  });

  const bad: readonly [name: string, bytes: string | Uint8Array, sentence: RegExp][] = [
    [
      "chart.yaml",
      "kind: Pod\nspec:\n  x: {{ .Values.x }}\n",
      /chart\.yaml:3:7: is a Helm template that is not rendered/,
    ],
    ["binary.yaml", new Uint8Array([65, 0, 66]), /binary\.yaml is binary/],
    ["latin.yaml", new Uint8Array([0xe4, 0xf6]), /latin\.yaml is not UTF-8/],
    ["utf16.yaml", Buffer.from("\ufeffkind: Pod\n", "utf16le"), /utf16\.yaml is UTF-16, .*save it as UTF-8/],
    ["no-mark.yaml", Buffer.from("kind: Pod\n", "utf16le"), /no-mark\.yaml is UTF-16/],
    ["deep.yaml", `# deep\na: ${"[".repeat(50_000)}\n`, /deep\.yaml:2:[0-9]+: nested too deeply/],
    ["flow.yaml", "a: {b: {c: }}\nd: {e: [}}\n", /flow\.yaml:2:[0-9]+: (?!is a Helm)/],
    ["tab.yaml", "a:\n\tb: 1\n", /tab\.yaml:2:1: a tab in the indentation/],
  ];
  for (const [name, bytes, sentence] of bad) {
    it(`says what is wrong with ${name} in one sentence`, async () => {
      const { code, stderr } = await gracegate("inject", "-f", file(name, bytes));
      assert.equal(code, 1);
      assert.match(stderr, sentence);
      assert.doesNotMatch(stderr, /\bat \w+.*:[0-9]+:[0-9]+\)/);
    });
  }

  it("changes the items of a typed list, which do not say their kind", async () => {
    const list = (kind: string, version: string, item: string) =>
      `kind: ${kind}\napiVersion: ${version}\nitems:\n  - ${item}\n`;
    const spec = "{ containers: [{ name: app, image: a }], terminationGracePeriodSeconds: 30 }";
    const pods = list("PodList", "v1", `{ metadata: { name: a }, spec: ${spec} }`);
    const deployments = list(
      "DeploymentList",
      "apps/v1",
      `{ metadata: { name: a }, spec: { template: { spec: ${spec} } } }`,
    );
    for (const text of [pods, deployments]) {
      const { code, stdout, stderr } = await gracegate("inject", "-f", file("list.yaml", text));
      assert.equal(code, 0);
      assert.match(stderr, /^1 of 1 workloads changed\.$/m);
      assert.match(stdout, /gracegate\.dev\/status/);
      assert.ok(!stdout.includes("kind: Pod\n") && !stdout.includes("kind: Deployment\n"));
    }
  });

  it("passes nothing on of a file that is no text, and does the others", async () => {
    const { code, stdout } = await gracegate("inject", "-f", file("b.yaml", new Uint8Array([0])), "-f", GATEWAY);
    assert.equal(code, 1);
    assert.match(stdout, /name: hc/);
  });

  it("takes 50 MB of other things in good time", async () => {
    const small = `a: ${"x".repeat(99)}\n---\n`.repeat(1000);
    const path = file("large.yaml", `${small}b: ${"y".repeat(49_900_000)}\n`);
    const { code, stderr, stdout } = await gracegate("inject", "-f", path);
    assert.equal(code, 1);
    assert.match(stderr, /large\.yaml:2000:1: the document is larger than the 3 MiB/);
    assert.equal(stdout.length, readFileSync(path).length);
  });

  it("--diff shows what changes and why in 80 columns, without the manifests and without colours", async () => {
    const { code, stdout } = await gracegate("inject", "-f", GATEWAY, "--policy", "examples/policies", "--diff");
    assert.equal(code, 0);
    assert.match(stdout, /^== examples\/pods\/gateway\.yaml:\d+: Pod edge\/\S+, a gateway\n/);
    assert.match(stdout, /^\+ {3}terminationGracePeriodSeconds: 75\n +# max\(36s \+ 9s, 36s\) \+ 30s = 75s$/m);
    assert.ok(stdout.split("\n").every((line) => line.length <= 80));
    assert.ok(!stdout.includes("\u001b"));
  });

  it("--write changes a folder's files in place, those below with -R, and a second run nothing", async () => {
    const below = join(folder, "tree", "below");
    mkdirSync(below, { recursive: true });
    writeFileSync(join(folder, "tree", "a.yml"), readFileSync(GATEWAY));
    writeFileSync(join(below, "b.json"), '{"kind":"Pod","apiVersion":"v1","spec":{"containers":[]}}');
    writeFileSync(join(below, "notes.txt"), "{{");
    const args = ["inject", "-f", join(folder, "tree"), "--write"];
    const flat = await gracegate(...args);
    assert.equal(flat.stdout, "");
    assert.match(flat.stderr, /^1 of 1 workloads changed\.$/m);
    const all = await gracegate(...args, "-R");
    assert.match(all.stderr, /^1 of 2 workloads changed\.$/m);
    assert.doesNotThrow(() => JSON.parse(readFileSync(join(below, "b.json"), "utf8")));
    assert.match((await gracegate(...args, "-R")).stderr, /^0 of 2 workloads changed\.$/m);
  });

  it("writes several files as one stream", async () => {
    const { stdout } = await gracegate(
      "inject",
      "-f",
      file("1.yaml", "a: 1"),
      "-f",
      file("2.yaml", "---\nb: 2\n"),
      "-f",
      file("3.yaml", "c: 3\n"),
    );
    assert.equal(stdout, "a: 1\n---\nb: 2\n---\nc: 3\n");
  });

  it("says that a stub's rest comes later", async () => {
    const { stderr } = await gracegate(
      "inject",
      "-f",
      file("stub.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n"),
    );
    assert.match(
      stderr,
      /^Pod default\/a: istio-proxy is not rendered yet, so only annotations were written; the rest/m,
    );
  });

  it("refuses what a policy with invalid: Deny refuses", async () => {
    const policy = file(
      "deny.policy",
      "apiVersion: gracegate.dev/v1alpha1\nkind: GracePolicy\nmetadata: {name: d, namespace: default}\nspec: {invalid: Deny}\n",
    );
    const pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {gracegate.dev/drain-timeout: soon}}\nspec: {containers: []}\n";
    const { code, stdout, stderr } = await piped(pod, "inject", "-f", "-", "--policy", policy);
    assert.equal(code, 1);
    assert.equal(stdout, pod);
    assert.match(stderr, /^stdin:1: Pod default\/a would be refused: gracegate\.dev\/drain-timeout: "soon" is not/m);
  });

  it("ends with 2 for options that cannot work, and for unknown ones", async () => {
    for (const [args, sentence] of [
      [[], /no manifest is given/],
      [["--colour"], /unknown option/],
    ] as const) {
      const { code, stdout, stderr } = await gracegate("inject", ...args);
      assert.equal(code, 2);
      assert.equal(stdout, "");
      assert.match(stderr, sentence);
    }
  });

  const wrong: readonly [args: readonly string[], sentence: RegExp][] = [
    [[], /no manifest is given/],
    [["-f", "x.yaml", "--role", "waypoint"], /--role waypoint is no role/],
    [["-f", "-", "--write"], /--write cannot change stdin/],
    [["-f", "a", "--write", "--diff"], /exclude each other/],
    [["-f", "-", "--policy", "no/such/file"], /the policies cannot be used/],
  ];
  for (const [args, sentence] of wrong) {
    it(`refuses ${args.join(" ") || "no arguments"}`, async () => {
      assert.match(await refusalOf(inject, args), sentence);
    });
  }

  it("ends with 1 for a file that is not there", async () => {
    const { code, stderr } = await gracegate("inject", "-f", "no-such-file.yaml");
    assert.equal(code, 1);
    assert.match(stderr, /^no-such-file\.yaml cannot be read: /m);
  });

  const istio = "../shared/istio";
  it("changes nothing on its second run over the real injector's manifests", { skip: !existsSync(istio) }, async () => {
    const copy = join(folder, "istio");
    cpSync(istio, copy, { recursive: true });
    const texts = () =>
      readdirSync(copy).map((name) => (name === "reviews" ? "" : readFileSync(join(copy, name), "utf8")));
    for (const path of readdirSync(copy)) chmodSync(join(copy, path), 0o755);
    assert.equal((await gracegate("inject", "-f", copy, "--write")).code, 0);
    const once = texts();
    const { stderr } = await gracegate("inject", "-f", copy, "--write");
    assert.match(stderr, /^0 of \d+ workloads changed\.$/m);
    assert.deepEqual(texts(), once);
  });
});
