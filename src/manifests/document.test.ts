import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_DOCUMENT, parseManifest, titleOf } from "./document.ts";
import { chunksOf } from "./stream.ts";

describe("chunksOf", () => {
  const streams: readonly [name: string, text: string, lines: readonly number[]][] = [
    ["an empty stream is one empty document", "", [1]],
    ["a stream without markers is one document", "a: 1\n", [1]],
    ["each marker starts a document", "a: 1\n---\nb: 2\n--- # c\nc: 3", [1, 2, 4]],
    ["a marker at the start starts the first", "---\na: 1\n---\n", [1, 3]],
    ["dashes within a line or a word are none", "a: |\n  ---\n----\n", [1]],
    ["Windows line ends", "a: 1\r\n---\r\nb: 2\r\n", [1, 2]],
    ["JSON objects that follow one another", '{"a": "}"}\n{\n"b": [{}]}\n {"c": 3}\n', [1, 1, 3]],
    ["one JSON object is one document, with what is behind it", '{"a": 1}\n\n', [1]],
    ["mappings of YAML that follow one another are left together", "{a: 1}\n{b: 2}\n", [1]],
  ];
  for (const [name, text, lines] of streams) {
    it(name, () => {
      const chunks = [...chunksOf(text)];
      assert.equal(chunks.map((chunk) => chunk.text).join(""), text);
      assert.deepEqual(
        chunks.map(({ line }) => line),
        lines,
      );
    });
  }
});

describe("parseManifest", () => {
  const value = (text: string) => {
    const parsed = parseManifest({ text, line: 1 });
    assert.ok(parsed.ok, parsed.ok ? "" : parsed.reason);
    return parsed.value;
  };

  it("reads YAML as Kubernetes does", () => {
    assert.deepEqual(value("a: yes\nb: 2024-01-02\nc: 0644\nd: 12:30\ne: {<<: {x: 1}}\n"), {
      a: true,
      b: "2024-01-02",
      c: 420,
      d: "12:30",
      e: { x: 1 },
    });
    assert.equal(value("# only a comment\n"), null);
    // The same leniency as go-yaml's: shallow quoted texts and flow ends, comments at once behind them, a lone CR.
    assert.deepEqual(value("a:\n  b: 'c\n  d'\n  e: [\nf\n]#g\nh: {i: j}\r"), {
      a: { b: "c d", e: ["f"] },
      h: { i: "j" },
    });
    // kubectl takes the last of them and says nothing.
    assert.deepEqual(value("a: 1\nb: 2\na: 3\n"), { a: 3, b: 2 });
  });

  const large = (lengths: readonly number[], from: string) =>
    `apiVersion: v1\nkind: List\nitems:\n${lengths.map((length) => `  - { ${from}: "${"x".repeat(length)}" }\n`).join("")}`;

  it("takes a List whose objects together are more than one request holds", () => {
    const text = large([MAX_DOCUMENT / 2, MAX_DOCUMENT / 2, 10], "note");
    assert.ok(parseManifest({ text, line: 1 }).ok);
    assert.ok(
      parseManifest({ text: `{"kind":"List","items":[{"a":"${"x".repeat(MAX_DOCUMENT - 20)}"}]}`, line: 1 }).ok,
    );
  });

  const broken: readonly [name: string, text: string, at: string, reason: RegExp][] = [
    ["a template of Helm is told as one", "a: 1\nb: {{ .Values.x }}\n", "11:", /Helm template that is not rendered/],
    ["a tab in the indentation is told as one", "a:\n\tb: 1\n", "11:1", /a tab in the indentation/],
    ["an open quote", 'a: "x\n', "11:1", /[Mm]issing closing/],
    ["an alias bomb", `a: &a [x]\nb: [${"*a,".repeat(200)}]\n`, "10:1", /too many YAML aliases/],
    ["an alias without an anchor", "a: *b\n", "10:", /alias/],
    [
      "a List with an object that no API server takes",
      large([10, MAX_DOCUMENT], "note"),
      "10:1",
      /an object of the List is larger/,
    ],
    ["a document that no API server takes", `a: ${"x".repeat(MAX_DOCUMENT)}`, "10:1", /larger than the 3 MiB/],
  ];
  for (const [name, text, at, reason] of broken) {
    it(`refuses ${name}, with its line and column`, () => {
      const parsed = parseManifest({ text, line: 10 });
      assert.ok(!parsed.ok);
      assert.match(parsed.reason, reason);
      assert.ok(`${parsed.line}:${parsed.column}`.startsWith(at), `${parsed.line}:${parsed.column}`);
    });
  }
});

it("titleOf names what can be named", () => {
  assert.equal(titleOf({ kind: "Deployment", metadata: { name: "web", namespace: "shop" } }), "Deployment shop/web");
  assert.equal(titleOf({ kind: "Pod", metadata: { generateName: "web-" } }), "Pod web-");
  assert.equal(titleOf({ metadata: null }), "object ?");
  assert.equal(titleOf([]), "a document");
});
