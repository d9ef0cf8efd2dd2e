import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonValue } from "../pod/json.ts";
import { parseManifest } from "./document.ts";
import { rewrite } from "./rewrite.ts";
import { type Path, withValue } from "./workload.ts";

interface Case {
  readonly name: string;
  readonly text: string;
  readonly set: readonly (readonly [Path, JsonValue | undefined])[];
  readonly becomes: string;
}

const cases: readonly Case[] = [
  {
    name: "a new key goes behind the last one, before the comments that follow",
    text: "a: 1 # one\n# after\n",
    set: [[["b"], 2]],
    becomes: "a: 1 # one\nb: 2\n# after\n",
  },
  {
    name: "a number changes and its comment stays",
    text: "spec:\n    grace: 30   # seconds\n    x: 1\n",
    set: [[["spec", "grace"], 75]],
    becomes: "spec:\n    grace: 75   # seconds\n    x: 1\n",
  },
  {
    name: "a double-quoted text stays double-quoted",
    text: "a: \"x\"\nb: 'y'\n",
    set: [
      [["a"], "z\n"],
      [["b"], "it's"],
    ],
    becomes: "a: \"z\\n\"\nb: 'it''s'\n",
  },
  {
    name: "a literal block keeps its indentation and its header's comment",
    text: "a: | # why\n     x: 1\nb: 2\n",
    set: [[["a"], "x: 1\ny: 2\n"]],
    becomes: "a: | # why\n     x: 1\n     y: 2\nb: 2\n",
  },
  {
    name: "an empty mapping is filled, and the comment behind it stays",
    text: "a:\n  annotations: {} # none yet\n  b: 1\n",
    set: [[["a", "annotations"], { k: "on" }]],
    becomes: 'a:\n  annotations: # none yet\n    k: "on"\n  b: 1\n',
  },
  {
    name: "a key without a value is filled",
    text: "a:\n  annotations:\n  b: 1\n",
    set: [[["a", "annotations"], { k: "v" }]],
    becomes: "a:\n  annotations:\n    k: v\n  b: 1\n",
  },
  {
    name: "a new element goes behind the one that it follows, as deep as the list is",
    text: "list:\n- name: a\n  v: 1\n# about b\n- name: b\n",
    set: [[["list"], [{ name: "a", v: 1 }, { name: "new", v: [1] }, { name: "b" }]]],
    becomes: "list:\n- name: a\n  v: 1\n- name: new\n  v:\n  - 1\n# about b\n- name: b\n",
  },
  {
    name: "a flow mapping stays one",
    text: "a: {b: 1, c: [x]} # flow\n",
    set: [
      [["a", "d"], "e: f"],
      [
        ["a", "c"],
        ["x", "z"],
      ],
    ],
    becomes: 'a: {b: 1, c: [x, z], d: "e: f"} # flow\n',
  },
  {
    name: "a removed key goes with its line",
    text: "a: 1\nb: 2 # two\nc: 3\n",
    set: [[["b"], undefined]],
    becomes: "a: 1\nc: 3\n",
  },
  {
    name: "the first key of an element is removed and the next moves up",
    text: "l:\n  - a: 1\n    b: 2\n",
    set: [[["l", 0, "a"], undefined]],
    becomes: "l:\n  - b: 2\n",
  },
  {
    name: "Windows line ends stay",
    text: "a: 1\r\nb:\r\n  c: 2\r\n",
    set: [[["b", "d"], "x\ny\n"]],
    becomes: "a: 1\r\nb:\r\n  c: 2\r\n  d: |\r\n    x\r\n    y\r\n",
  },
  {
    name: "a last line without a break stays without one",
    text: "a: 1",
    set: [[["b"], 2]],
    becomes: "a: 1\nb: 2",
  },
  {
    name: "JSON stays JSON with its indentation",
    text: '{\n    "a": {\n        "b": 1\n    }\n}\n',
    set: [[["a", "c"], { d: [1] }]],
    becomes:
      '{\n    "a": {\n        "b": 1,\n        "c": {\n            "d": [\n                1\n            ]\n        }\n    }\n}\n',
  },
  {
    name: "JSON on one line stays on one line",
    text: '{"a":{"b":1.50}}',
    set: [[["a", "c"], "x"]],
    becomes: '{"a":{"b":1.50,"c":"x"}}',
  },
  {
    name: "a key that a merge brings is set beside it",
    text: "base: &base\n  a: 1\nuser:\n  <<: *base\n  b: 2\n",
    set: [[["user", "a"], 3]],
    becomes: "base: &base\n  a: 1\nuser:\n  <<: *base\n  b: 2\n  a: 3\n",
  },
  {
    name: "an alias is replaced where only this place changes",
    text: "x: &x [1]\nz: *x\n",
    set: [[["z"], [1, 2]]],
    becomes: "x: &x [1]\nz:\n  - 1\n  - 2\n",
  },
];

describe("rewriting a document", () => {
  for (const { name, text, set, becomes } of cases) {
    it(name, () => {
      const manifest = parseManifest({ text, line: 1 });
      assert.ok(manifest.ok);
      const after = set.reduce((value, [path, leaf]) => withValue(value, path, leaf), manifest.value);
      assert.deepEqual(rewrite(manifest, after), { text: becomes, whole: false });
    });
  }

  it("writes an alias out where its anchor changes, and lets the other bytes stay", () => {
    const cases: readonly [text: string, path: Path, value: JsonValue, expected: string][] = [
      ["x: &x # c\n  a: 1\nz: *x # d\n", ["x", "a"], 2, "x: &x # c\n  a: 2\nz: # d\n  a: 1\n"],
      ["x: &x {a: 1}\nz: *x\n", ["z", "a"], 2, "x: &x {a: 1}\nz:\n  a: 2\n"],
      ["x: &x\n  a: 1\nz:\n  <<: *x\n  b: 1\n", ["x", "a"], 2, "x: &x\n  a: 2\nz:\n  <<: *x\n  b: 1\n  a: 1\n"],
      ["x: &x 1\ny: { z: *x, b: 3 }\n", ["x"], 2, "x: &x 2\ny: { z: 1, b: 3 }\n"],
      [
        "x: &x\n  - &y { a: 1 }\n  - *y\nz: *x\n",
        ["x", 0, "a"],
        2,
        "x: &x\n  - &y { a: 2 }\n  - a: 1\nz:\n  - a: 1\n  - a: 1\n",
      ],
    ];
    for (const [text, path, value, expected] of cases) {
      const manifest = parseManifest({ text, line: 1 });
      assert.ok(manifest.ok);
      assert.deepEqual(rewrite(manifest, withValue(manifest.value, path, value)), { text: expected, whole: false });
    }
  });

  it("writes a document anew where nothing else helps, and keeps the comments above it", () => {
    const text = "--- # one\n# two\nx: &x\n  a: 1\n<<: *x\n";
    const manifest = parseManifest({ text, line: 1 });
    assert.ok(manifest.ok);
    // A key that a merge brings cannot be taken out of it.
    const { text: result, whole } = rewrite(manifest, withValue(manifest.value, ["a"], undefined));
    assert.equal(result, "--- # one\n# two\nx:\n  a: 1\n");
    assert.equal(whole, true);
  });
});
