import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { loadPolicies } from "./policy-files.ts";

const folder = mkdtempSync(join(tmpdir(), "gracegate-"));
after(() => rmSync(folder, { recursive: true }));

let count = 0;
function write(text: string, name = `p${++count}.yaml`): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const policy = (name: string, spec = "{}", namespace = "shop") =>
  `apiVersion: gracegate.dev/v1alpha1\nkind: GracePolicy\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec: ${spec}\n`;
const load = (path: string, meshConfig?: string) =>
  loadPolicies({ policy: path, meshConfig, rootNamespace: "gracegate" });

function snapshot(path: string, meshConfig?: string) {
  const loaded = load(path, meshConfig);
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.snapshot;
}

function problems(path: string, meshConfig?: string): readonly string[] {
  const loaded = load(path, meshConfig);
  return loaded.ok ? [] : loaded.problems.map(({ text }) => text.replaceAll(folder, ""));
}

describe("policies from files", () => {
  it("one document", () => assert.equal(snapshot(write(policy("a"))).size, 1));
  it("several documents, and empty ones between them", () => {
    assert.equal(snapshot(write(`---\n${policy("a")}---\n---\n# nothing\n---\n${policy("b")}`)).size, 2);
  });
  it("a List, as kubectl prints it", () => {
    const items = ["a", "b"].map((name) => ({
      apiVersion: "gracegate.dev/v1alpha1",
      kind: "GracePolicy",
      metadata: { name, namespace: "shop" },
    }));
    assert.equal(snapshot(write(JSON.stringify({ kind: "List", items }), "list.json")).size, 2);
  });
  it("a file with only a comment has none", () => assert.equal(snapshot(write("# none\n")).size, 0));
  it("an empty file is one that is being written", () =>
    assert.deepEqual(problems(write("", "empty.yaml")), ["/empty.yaml: is empty; write a policy, or a comment."]));
  it("a section whose fields are all commented out says nothing", () => {
    assert.equal(snapshot(write(policy("a", "\n  sidecar:\n  #  margin: 5s\n"))).size, 1);
  });

  it("a folder: all its YAML and JSON, nothing hidden and nothing else", () => {
    const path = join(folder, "policies");
    mkdirSync(join(path, "below.yaml"), { recursive: true });
    writeFileSync(join(path, "a.yaml"), policy("a"));
    writeFileSync(join(path, "b.yml"), policy("b"));
    writeFileSync(join(path, "README.md"), "# x");
    writeFileSync(join(path, ".hidden.yaml"), "broken: [");
    assert.equal(snapshot(path).size, 2);
  });

  const bad: readonly [string, string, readonly string[]][] = [
    [
      "broken YAML",
      "a: [",
      [
        "bad0.yaml: is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 5.",
      ],
    ],
    [
      "the document and the field",
      `${policy("a")}---\n${policy("b", "{mode: x}")}`,
      ['bad1.yaml, document 2 (shop/b): spec.mode is "x"; write one of Enforce, Observe, Disabled.'],
    ],
    [
      "every document that is wrong",
      `${policy("a", "{mode: x}")}---\nx: y\n`,
      [
        'bad2.yaml, document 1 (shop/a): spec.mode is "x"; write one of Enforce, Observe, Disabled.',
        "bad2.yaml, document 2: apiVersion is missing, not gracegate.dev/v1alpha1.",
      ],
    ],
    ["two policies of one name", `${policy("a")}---\n${policy("a")}`, ["bad3.yaml: has GracePolicy shop/a 2 times."]],
    ["a scalar", "soon", ["bad4.yaml: is not a mapping."]],
    [
      "an alias bomb",
      `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${Array(10).fill("*a")}]\nc: &c [${Array(10).fill("*b")}]\nd: [${Array(10).fill("*c")}]\n`,
      ["bad5.yaml: cannot be read: Excessive alias count indicates a resource exhaustion attack."],
    ],
  ];
  for (const [index, [name, text, sentences]] of bad.entries()) {
    it(`an error names the file: ${name}`, () => {
      assert.deepEqual(
        problems(write(text, `bad${index}.yaml`)),
        sentences.map((sentence) => `/${sentence}`),
      );
    });
  }

  it("two of one name in two namespaces are two", () => {
    assert.equal(snapshot(write(`${policy("a")}---\n${policy("a", "{}", "pay")}`)).size, 2);
  });
  it("a file that is not there", () => {
    assert.match(problems(join(folder, "nowhere"))[0] ?? "", /^\/nowhere: cannot be read: no such file or directory/);
  });
  it("a file behind a link, as Kubernetes mounts them", () => {
    mkdirSync(join(folder, "mounted", "..data"), { recursive: true });
    writeFileSync(join(folder, "mounted", "..data", "p.yaml"), policy("a"));
    symlinkSync(join("..data", "p.yaml"), join(folder, "mounted", "p.yaml"));
    assert.equal(snapshot(join(folder, "mounted")).size, 1);
  });
});

describe("a mesh config from a file", () => {
  const some = write(policy("a"), "some.yaml");
  const mesh = "defaultConfig:\n  terminationDrainDuration: 20s\n";

  it("the mesh config itself", () => {
    assert.deepEqual(snapshot(some, write(mesh)).meshConfig, { terminationDrainDuration: 20_000 });
  });
  it("the ConfigMap that holds it", () => {
    const text = `kind: ConfigMap\ndata:\n  mesh: |-\n    ${mesh.replaceAll("\n", "\n    ")}\n`;
    assert.deepEqual(snapshot(some, write(text)).meshConfig, { terminationDrainDuration: 20_000 });
  });

  const bad: readonly [string, string, RegExp][] = [
    ["a list", "- a", /^\/m0\.yaml: is no mesh config: it is not a mapping\.$/],
    [
      "broken YAML, of which a part could be read",
      "defaultConfig:\n  drainDuration: 5s\nx: [",
      /^\/m1\.yaml: is no mesh config: .*line 3/,
    ],
    [
      "broken YAML in the ConfigMap",
      "data:\n  mesh: |\n    defaultConfig: {\n",
      /^\/m2\.yaml: is no mesh config: .*line/,
    ],
    [
      "a ConfigMap whose mesh is a text",
      "data:\n  mesh: soon\n",
      /^\/m3\.yaml: is no mesh config: it is not a mapping\.$/,
    ],
  ];
  for (const [index, [name, text, sentence]] of bad.entries()) {
    it(`an error names the file: ${name}`, () => {
      assert.match(problems(some, write(text, `m${index}.yaml`))[0] ?? "", sentence);
    });
  }
  it("one that is not there", () => {
    assert.match(
      problems(some, join(folder, "nowhere"))[0] ?? "",
      /^\/nowhere: cannot be read: no such file or directory/,
    );
  });
});
