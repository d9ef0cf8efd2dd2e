import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parse } from "yaml";
import type { ConfigEdit, ConfigPath } from "./proxy-config.ts";
import { editProxyConfig, type ProxyConfig, parseProxyConfig } from "./proxy-config.ts";

function read(text: string | undefined): ProxyConfig {
  const parsed = parseProxyConfig(text);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.config;
}

const edit = (text: string, ...edits: readonly ConfigEdit[]) => editProxyConfig(read(text), edits);
const drain: ConfigEdit = { path: ["terminationDrainDuration"], value: "40s" };
const minimum: ConfigEdit = { path: ["proxyMetadata", "MINIMUM_DRAIN_DURATION"], value: "5s" };
const exit: ConfigEdit = { path: ["proxyMetadata", "EXIT_ON_ZERO_ACTIVE_CONNECTIONS"], value: "true" };

describe("reading values", () => {
  const cases: readonly [string, string | undefined, ConfigPath, unknown][] = [
    ["a pod without the annotation has no value", undefined, ["drainDuration"], undefined],
    ["a scalar is its text", "drainDuration: 5s", ["drainDuration"], "5s"],
    ["a number stays as it is written", "concurrency: 0x1F", ["concurrency"], "0x1F"],
    ["a bool is its text", "holdApplicationUntilProxyStarts: true", ["holdApplicationUntilProxyStarts"], "true"],
    ["of duplicate keys the last one counts", "drainDuration: 5s\ndrainDuration: 6s\n", ["drainDuration"], "6s"],
    ["of duplicate keys of JSON as well", '{"drainDuration":"5s","drainDuration":"6s"}', ["drainDuration"], "6s"],
    ["snake_case names the same field", "drain_duration: 5s", ["drainDuration"], "5s"],
    ["camelCase counts if both stand there", "drainDuration: 6s\ndrain_duration: 5s\n", ["drainDuration"], "6s"],
    ["camelCase counts in JSON too", '{"drainDuration":"6s","drain_duration":"5s"}', ["drainDuration"], "6s"],
    ["a variable", "proxyMetadata: {A: b}", ["proxyMetadata", "A"], "b"],
    ["variables below the other spelling", "proxy_metadata:\n  A: b\n", ["proxyMetadata", "A"], "b"],
    ["a variable has one spelling only", "proxyMetadata:\n  a_b: x\n", ["proxyMetadata", "aB"], undefined],
    [
      "a field below another in snake_case",
      "proxy_stats_matcher:\n  inclusion_suffixes: [x]\n",
      ["proxyStatsMatcher", "inclusionSuffixes"],
      ["x"],
    ],
    [
      "a list",
      "proxyStatsMatcher:\n  inclusionSuffixes:\n  - a\n  - b\n",
      ["proxyStatsMatcher", "inclusionSuffixes"],
      ["a", "b"],
    ],
    [
      "a list of JSON",
      '{"proxyStatsMatcher":{"inclusionSuffixes":["a"]}}',
      ["proxyStatsMatcher", "inclusionSuffixes"],
      ["a"],
    ],
    ["an alias is what it stands for", "a: &x 5s\ndrainDuration: *x\n", ["drainDuration"], "5s"],
    ["an alias of a mapping", "a: &x {A: b}\nproxyMetadata: *x\n", ["proxyMetadata", "A"], "b"],
    ["an alias in a list", "a: &x s\nb: [*x]\n", ["b"], ["s"]],
    ["a mapping is no scalar", "drainDuration: {a: b}", ["drainDuration"], undefined],
    ["null is no value", "drainDuration: null", ["drainDuration"], undefined],
    ["a tilde is no value", "drainDuration: ~", ["drainDuration"], undefined],
    ["a key without a value has none", "drainDuration:\n", ["drainDuration"], undefined],
    ["null of JSON is no value", '{"drainDuration":null}', ["drainDuration"], undefined],
    ["a variable without a value has none", "proxyMetadata:\n  A:\n", ["proxyMetadata", "A"], undefined],
    ["an empty text is a value", "drainDuration: ''", ["drainDuration"], ""],
    ["a quoted null is a text", "drainDuration: 'null'", ["drainDuration"], "null"],
    ["inherited names are no keys", '{"a":1}', ["constructor"], undefined],
    ["a BOM before YAML does not hide the first key", "\ufeffdrainDuration: 5s", ["drainDuration"], "5s"],
    ["a BOM before JSON does not either", '\ufeff{"drainDuration":"5s"}', ["drainDuration"], "5s"],
    ["CRLF ends a value", "drainDuration: 5s\r\nconcurrency: 2\r\n", ["drainDuration"], "5s"],
    ["a tab separates key and value", "drainDuration:\t5s", ["drainDuration"], "5s"],
    ["the mark of a document's begin", "---\ndrainDuration: 5s\n", ["drainDuration"], "5s"],
    ["a flow mapping", "{drainDuration: 5s}", ["drainDuration"], "5s"],
    ["JSON with a trailing comma is YAML", '{"drainDuration": "5s",}', ["drainDuration"], "5s"],
    ["a number beyond 2^53 keeps its digits", '{"x": 12345678901234567890}', ["x"], "12345678901234567890"],
  ];
  for (const [name, text, path, value] of cases) {
    it(name, () => assert.deepEqual(read(text).get(path), value));
  }

  it("the text stands beside the values", () => assert.equal(read("a: b").text, "a: b"));
});

describe("texts that are no mapping", () => {
  const cases: readonly [string, string, RegExp][] = [
    ["a list", "- a\n", /^it is a list, not a mapping$/],
    ["a list of JSON", '["a"]', /^it is a list, not a mapping$/],
    ["a single value", "soon", /^it is a single value, not a mapping$/],
    ["broken YAML", "a: [", /^it is not YAML: .*line 1, column 5/],
    ["tabs as indentation", "\ta: b", /^it is not YAML: Tabs are not allowed as indentation at line 1, column 1/],
    ["a reserved character", "a: @b", /^it is not YAML: .*reserved character @/],
    ["two documents", "a: b\n---\nc: d\n", /^it has more than one YAML document$/],
    ["an alias without its anchor", "a: *nobody", /^it has a YAML alias without an anchor$/],
    [
      "a long alias without its anchor is not repeated",
      `a: *${"x".repeat(5000)}`,
      /^it has a YAML alias without an anchor$/,
    ],
    [
      "more aliases than anybody writes",
      `a: &a x\nb: &b x\nc: [${Array(60).fill("*a, *b").join(", ")}]`,
      /^it has too many YAML aliases$/,
    ],
    ["an alias bomb", bomb(), /^it has too many YAML aliases$/],
    ["metadata that is a text", "proxyMetadata: x\n", /^its proxyMetadata is not a mapping$/],
    ["metadata that is a list", "proxyMetadata: [x]\n", /^its proxyMetadata is not a mapping$/],
    ["metadata that is a number, in JSON", '{"proxyMetadata":1.0}', /^its proxyMetadata is not a mapping$/],
    ["a matcher that is a list", "proxyStatsMatcher: [x]\n", /^its proxyStatsMatcher is not a mapping$/],
    ["a matcher that is a text, in JSON", '{"proxy_stats_matcher":"x"}', /^its proxyStatsMatcher is not a mapping$/],
    [
      "stats that are no list",
      "proxyStatsMatcher: {inclusionSuffixes: x}\n",
      /inclusionSuffixes is not a list of texts$/,
    ],
    [
      "stats with a mapping, in JSON",
      '{"proxyStatsMatcher":{"inclusionRegexps":[{}]}}',
      /inclusionRegexps is not a list of texts$/,
    ],
    [
      "metadata that a merge key brings",
      "x: &d {proxyMetadata: {A: b}}\n<<: *d\n",
      /^its proxyMetadata comes from a YAML merge key$/,
    ],
    ["nesting without end", `a: ${"[".repeat(5000)}`, /^it is (?:nested too deeply|not YAML)/],
  ];
  for (const [name, text, reason] of cases) {
    it(name, () => {
      const parsed = parseProxyConfig(text);
      assert.equal(parsed.ok, false);
      assert.match("reason" in parsed ? parsed.reason : "", reason);
    });
  }

  it("more than 16 KiB are not read, whatever they are, and the bytes count", () => {
    const text = `a: ${"ä".repeat(8 * 1024)}`;
    assert.deepEqual(parseProxyConfig(text), { ok: false, bytes: 16 * 1024 + 3 });
    assert.deepEqual(parseProxyConfig(`{"a":"${"x".repeat(16 * 1024)}"}`), { ok: false, bytes: 16 * 1024 + 8 });
    assert.ok(parseProxyConfig(`a: ${"x".repeat(16 * 1024 - 3)}`).ok);
  });

  for (const text of ["", "  \n", "\ufeff", "null", "~", "# only a comment\n", "---\n", "{}"]) {
    it(`${JSON.stringify(text)} is an empty mapping`, () => {
      const result = parse(edit(text, drain) ?? "");
      assert.deepEqual(result, { terminationDrainDuration: "40s" });
    });
  }
});

function bomb(): string {
  const level = (name: string, below: string) => `${name}: &${name} [${Array(9).fill(`*${below}`).join(", ")}]\n`;
  return `a: &a [x, x]\n${level("b", "a")}${level("c", "b")}${level("d", "c")}${level("e", "d")}${level("f", "e")}`;
}

describe("editing", () => {
  const cases: readonly [string, string, readonly ConfigEdit[], string][] = [
    ["a new key comes last", "a: b\n", [drain], "a: b\nterminationDrainDuration: 40s\n"],
    [
      "a key that is there stays in its place",
      "terminationDrainDuration: 5s\na: b\n",
      [drain],
      "terminationDrainDuration: 40s\na: b\n",
    ],
    ["a key keeps its spelling", "termination_drain_duration: 5s\n", [drain], "termination_drain_duration: 40s\n"],
    [
      "a key of JSON keeps its spelling",
      '{"termination_drain_duration":"5s"}',
      [drain],
      '{"termination_drain_duration":"40s"}',
    ],
    [
      "the last of duplicate keys is changed",
      "terminationDrainDuration: 1s\nterminationDrainDuration: 2s\n",
      [drain],
      "terminationDrainDuration: 1s\nterminationDrainDuration: 40s\n",
    ],
    [
      "of both spellings camelCase is changed",
      "termination_drain_duration: 1s\nterminationDrainDuration: 2s\n",
      [drain],
      "termination_drain_duration: 1s\nterminationDrainDuration: 40s\n",
    ],
    [
      "comments stay",
      "# top\na: b # why\n\n# below\nc: d\n",
      [drain],
      "# top\na: b # why\n\n# below\nc: d\nterminationDrainDuration: 40s\n",
    ],
    [
      "the spaces before a comment stay",
      "a: b   # why\nm:\n  c: d     # since\n",
      [drain],
      "a: b   # why\nm:\n  c: d     # since\nterminationDrainDuration: 40s\n",
    ],
    [
      "the comment of a changed key stays",
      "terminationDrainDuration: 5s # short\n",
      [drain],
      "terminationDrainDuration: 40s # short\n",
    ],
    ["a comment alone stays", "# only\n", [drain], "# only\n\nterminationDrainDuration: 40s\n"],
    [
      "scalars keep their spelling",
      "a: 0x1F\nb: yes\nc: 'x'\nd: \"y\"\ne: 1_000\n",
      [drain],
      "a: 0x1F\nb: yes\nc: 'x'\nd: \"y\"\ne: 1_000\nterminationDrainDuration: 40s\n",
    ],
    ["a block text stays", "a: |\n  one\n  two\n", [drain], "a: |\n  one\n  two\nterminationDrainDuration: 40s\n"],
    [
      "a long line is not folded",
      `a: ${"word ".repeat(60)}end\n`,
      [drain],
      `a: ${"word ".repeat(60)}end\nterminationDrainDuration: 40s\n`,
    ],
    [
      "the indentation stays",
      "proxyMetadata:\n    A: b\n",
      [minimum],
      "proxyMetadata:\n    A: b\n    MINIMUM_DRAIN_DURATION: 5s\n",
    ],
    [
      "a list at the level of its key stays there",
      "s:\n- a\n- b\nproxyMetadata:\n  A: b\n",
      [minimum],
      "s:\n- a\n- b\nproxyMetadata:\n  A: b\n  MINIMUM_DRAIN_DURATION: 5s\n",
    ],
    [
      "a list below its key stays there",
      "s:\n  - a\nc: d\n",
      [drain],
      "s:\n  - a\nc: d\nterminationDrainDuration: 40s\n",
    ],
    [
      "a list in the middle of a mapping as well",
      "m:\n  s:\n  - a\n  t: b\n",
      [drain],
      "m:\n  s:\n  - a\n  t: b\nterminationDrainDuration: 40s\n",
    ],
    ["a flow mapping stays one", "{a: b}\n", [drain], "{a: b, terminationDrainDuration: 40s}\n"],
    [
      "a flow mapping with quoted keys gets a quoted key",
      "{'x': 1, \"a\": b}\n",
      [drain],
      '{\'x\': 1, "a": b, "terminationDrainDuration": 40s}\n',
    ],
    [
      "variables in a flow mapping",
      "proxyMetadata: {A: b}\n",
      [minimum],
      "proxyMetadata: {A: b, MINIMUM_DRAIN_DURATION: 5s}\n",
    ],
    [
      "a variable that looks like a bool is quoted",
      "",
      [exit],
      'proxyMetadata:\n  EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true"\n',
    ],
    [
      "a bool field is not quoted",
      "",
      [{ path: ["holdApplicationUntilProxyStarts"], value: true }],
      "holdApplicationUntilProxyStarts: true\n",
    ],
    [
      "an empty parent is filled",
      "proxyMetadata:\na: b\n",
      [minimum],
      "proxyMetadata:\n  MINIMUM_DRAIN_DURATION: 5s\na: b\n",
    ],
    [
      "a parent of null in JSON is filled",
      '{"proxyMetadata":null}',
      [minimum],
      '{"proxyMetadata":{"MINIMUM_DRAIN_DURATION":"5s"}}',
    ],
    ["compact JSON stays compact", '{"a":1}', [drain], '{"a":1,"terminationDrainDuration":"40s"}'],
    [
      "indented JSON stays indented",
      '{\n    "a": 1\n}\n',
      [drain],
      '{\n    "a": 1,\n    "terminationDrainDuration": "40s"\n}\n',
    ],
    ["JSON indented by tabs", '{\n\t"a": 1\n}', [drain], '{\n\t"a": 1,\n\t"terminationDrainDuration": "40s"\n}'],
    [
      "numbers of JSON keep their digits",
      '{"x":12345678901234567890,"y":1.0,"z":1e2}',
      [drain],
      '{"x":12345678901234567890,"y":1.0,"z":1e2,"terminationDrainDuration":"40s"}',
    ],
    [
      "__proto__ of JSON stays a key",
      '{"__proto__":{"a":1}}',
      [drain],
      '{"__proto__":{"a":1},"terminationDrainDuration":"40s"}',
    ],
    [
      "__proto__ of YAML stays a key",
      "__proto__:\n  a: 1\n",
      [drain],
      "__proto__:\n  a: 1\nterminationDrainDuration: 40s\n",
    ],
    [
      "JSON behind a BOM stays JSON",
      '\ufeff{"a":1}',
      [minimum],
      '\ufeff{"a":1,"proxyMetadata":{"MINIMUM_DRAIN_DURATION":"5s"}}',
    ],
    [
      "a value is removed",
      "terminationDrainDuration: 5s\na: b\n",
      [{ path: ["terminationDrainDuration"], value: undefined }],
      "a: b\n",
    ],
    [
      "a value of JSON is removed",
      '{"terminationDrainDuration":"5s","a":1}',
      [{ path: ["terminationDrainDuration"], value: undefined }],
      '{"a":1}',
    ],
    [
      "a parent goes with its last value",
      "proxyMetadata:\n  MINIMUM_DRAIN_DURATION: 5s\na: b\n",
      [{ path: minimum.path, value: undefined }],
      "a: b\n",
    ],
    [
      "a parent of JSON goes with its last value",
      '{"proxyMetadata":{"MINIMUM_DRAIN_DURATION":"5s"},"a":1}',
      [{ path: minimum.path, value: undefined }],
      '{"a":1}',
    ],
    [
      "a parent with other values stays",
      "proxyMetadata:\n  MINIMUM_DRAIN_DURATION: 5s\n  A: b\n",
      [{ path: minimum.path, value: undefined }],
      "proxyMetadata:\n  A: b\n",
    ],
    ["removing what is not there changes nothing", '{"a":1}', [{ path: minimum.path, value: undefined }], '{"a":1}'],
    ["removing below a missing parent changes nothing", "a: b\n", [{ path: minimum.path, value: undefined }], "a: b\n"],
    [
      "elements of a list keep their comments",
      "l:\n  - a # first\n  - b\n",
      [{ path: ["l"], value: ["a", "c"] }],
      "l:\n  - a # first\n  - c\n",
    ],
    ["a list of JSON is replaced", '{"l":["a"]}', [{ path: ["l"], value: ["a", "c"] }], '{"l":["a","c"]}'],
    [
      "a list is new",
      "",
      [{ path: ["proxyStatsMatcher", "inclusionSuffixes"], value: ["a"] }],
      "proxyStatsMatcher:\n  inclusionSuffixes:\n    - a\n",
    ],
    [
      "the alias of a changed value keeps the old one",
      "terminationDrainDuration: &d 10s\ndrainDuration: *d\n",
      [drain],
      "terminationDrainDuration: &d 40s\ndrainDuration: 10s\n",
    ],
    [
      "the alias of a mapping that gets a key keeps what it stood for",
      'proxyMetadata: &m\n  A: "1"\nruntimeValues: *m\n',
      [minimum],
      'proxyMetadata: &m\n  A: "1"\n  MINIMUM_DRAIN_DURATION: 5s\nruntimeValues:\n  A: "1"\n',
    ],
    [
      "so does the alias of a list that gets an entry",
      "proxyStatsMatcher:\n  inclusionSuffixes: &s [a]\nextraStatTags: *s\n",
      [{ path: ["proxyStatsMatcher", "inclusionSuffixes"], value: ["a", "b"] }],
      "proxyStatsMatcher:\n  inclusionSuffixes: &s [a, b]\nextraStatTags:\n  - a\n",
    ],
    [
      "a merge of a mapping that gets a key brings no more than before",
      "proxyMetadata: &m\n  A: b\nruntimeValues:\n  <<: *m\n",
      [minimum],
      "proxyMetadata: &m\n  A: b\n  MINIMUM_DRAIN_DURATION: 5s\nruntimeValues:\n  <<: {A: b}\n",
    ],
    [
      "a block text that ends without a line break gets none",
      "proxyMetadata:\n  A: |\n    one\n    two",
      [minimum],
      "proxyMetadata:\n  MINIMUM_DRAIN_DURATION: 5s\n  A: |\n    one\n    two",
    ],
    [
      "a lone CR ends a line, as for Istio",
      "concurrency: 2\r",
      [drain],
      "concurrency: 2\rterminationDrainDuration: 40s\n",
    ],
    [
      "an integer that a double cannot hold keeps its digits where its alias is written out",
      "runtimeValues: &m {a: 12345678901234567890}\nproxyMetadata: *m\n",
      [minimum],
      'runtimeValues: &m {a: 12345678901234567890}\nproxyMetadata:\n  a: "12345678901234567890"\n  MINIMUM_DRAIN_DURATION: 5s\n',
    ],
    [
      "a value that is an alias is changed alone",
      "drainDuration: &d 10s\nterminationDrainDuration: *d\n",
      [drain],
      "drainDuration: &d 10s\nterminationDrainDuration: 40s\n",
    ],
  ];
  for (const [name, text, edits, result] of cases) {
    it(name, () => assert.equal(edit(text, ...edits), result));
  }

  it("the parsed annotation does not change with an edit", () => {
    const config = read("terminationDrainDuration: 5s\n");
    editProxyConfig(config, [drain]);
    assert.equal(config.get(["terminationDrainDuration"]), "5s");
    assert.equal(
      editProxyConfig(config, [minimum]),
      "terminationDrainDuration: 5s\nproxyMetadata:\n  MINIMUM_DRAIN_DURATION: 5s\n",
    );
  });

  it("CRLF and a BOM stay", () => {
    const text = "\ufeff# top\r\na: b\r\n";
    assert.equal(edit(text, drain), `${text}terminationDrainDuration: 40s\r\n`);
  });
});

describe("unquoted variables", () => {
  const cases: readonly [string, string, readonly string[], string][] = [
    [
      "a bool, a number and a word of 1.1",
      "proxyMetadata:\n  A: true\n  B: 3\n  C: yes\n  D: 5s\n",
      ["A", "B", "C"],
      'proxyMetadata:\n  A: "true"\n  B: "3"\n  C: "yes"\n  D: 5s\n',
    ],
    [
      "the agent's bool becomes one that Go reads",
      "proxyMetadata:\n  EXIT_ON_ZERO_ACTIVE_CONNECTIONS: yes # as ever\n  OTHER: yes\n",
      ["EXIT_ON_ZERO_ACTIVE_CONNECTIONS", "OTHER"],
      'proxyMetadata:\n  EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true" # as ever\n  OTHER: "yes"\n',
    ],
    [
      "and off the other one",
      "proxyMetadata: {EXIT_ON_ZERO_ACTIVE_CONNECTIONS: off}\n",
      ["EXIT_ON_ZERO_ACTIVE_CONNECTIONS"],
      'proxyMetadata: {EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "false"}\n',
    ],
    ["a number keeps its spelling", "proxyMetadata: {A: 0x1F}\n", ["A"], 'proxyMetadata: {A: "0x1F"}\n'],
    [
      "JSON's scalars",
      '{"proxyMetadata":{"A":true,"B":1.50,"C":"3","D":null}}',
      ["A", "B"],
      '{"proxyMetadata":{"A":"true","B":"1.50","C":"3","D":null}}',
    ],
    ["the other spelling of proxyMetadata", "proxy_metadata:\n  A: on\n", ["A"], 'proxy_metadata:\n  A: "on"\n'],
    [
      "names that are traps",
      "proxyMetadata:\n  __proto__: 1\n  constructor: 2\n",
      ["__proto__", "constructor"],
      'proxyMetadata:\n  __proto__: "1"\n  constructor: "2"\n',
    ],
    [
      "quoted values are right",
      "proxyMetadata:\n  A: 'true'\n  B: \"3\"\n",
      [],
      "proxyMetadata:\n  A: 'true'\n  B: \"3\"\n",
    ],
    [
      "other fields are none of its business",
      "concurrency: 2\nproxyMetadata:\n  A: b\n",
      [],
      "concurrency: 2\nproxyMetadata:\n  A: b\n",
    ],
    ["a text by its tag is one", "proxyMetadata:\n  A: !!str 3\n", [], "proxyMetadata:\n  A: !!str 3\n"],
    [
      "an alias is quoted in its place, the field that it comes from stays a bool",
      "hold: &x true\nproxyMetadata:\n  A: *x\n",
      ["A"],
      'hold: &x true\nproxyMetadata:\n  A: "true"\n',
    ],
    [
      "an anchor is quoted, and so is its alias",
      "proxyMetadata:\n  A: &x true\n  B: *x\n",
      ["A", "B"],
      'proxyMetadata:\n  A: &x "true"\n  B: "true"\n',
    ],
  ];
  for (const [name, text, names, result] of cases) {
    it(name, () => {
      const config = read(text);
      assert.deepEqual(config.unquoted, names);
      assert.equal(editProxyConfig(config, []), result);
    });
  }
});

describe("for every annotation", () => {
  const scalar = fc.constantFrom(
    "5s",
    "true",
    "'x'",
    '"y"',
    "0x1F",
    "~",
    "",
    "&a 3s",
    "*a",
    "[a, b]",
    "{k: v}",
    "|\n  block",
  );
  const key = fc.constantFrom(
    "a",
    "b_c",
    "terminationDrainDuration",
    "proxyMetadata",
    "drain_duration",
    "'q'",
    "? x\n",
  );
  const yaml = fc
    .array(fc.tuple(key, scalar), { maxLength: 6 })
    .map((pairs) => pairs.map(([name, value]) => `${name}: ${value}\n`).join(""));

  it("an edit is read back, and changes no other value", () => {
    fc.assert(
      fc.property(yaml, (text) => {
        const parsed = parseProxyConfig(text);
        fc.pre(parsed.ok);
        if (!parsed.ok) return;
        const after = read(editProxyConfig(parsed.config, [drain, minimum]));
        assert.equal(after.get(drain.path), "40s");
        assert.equal(after.get(minimum.path), "5s");
        for (const path of [["a"], ["bC"], ["drainDuration"], ["q"]] as const) {
          assert.deepEqual(after.get(path), parsed.config.get(path), JSON.stringify([text, path, after.text]));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("merge keys", () => {
  const text = "base: &base\n  A: a\n  B: base\nproxyMetadata:\n  <<: *base\n  B: own\n";

  it("bring the values of what they name, and own keys count more", () => {
    const parsed = parseProxyConfig(text);
    assert.ok(parsed.ok);
    assert.equal(parsed.config.get(["proxyMetadata", "A"]), "a");
    assert.equal(parsed.config.get(["proxyMetadata", "B"]), "own");
  });

  it("of several, the first one counts", () => {
    const parsed = parseProxyConfig("a: &a {X: '1'}\nb: &b {X: '2', Z: '2'}\nproxyMetadata:\n  <<: [*a, *b]\n");
    assert.ok(parsed.ok);
    assert.equal(parsed.config.get(["proxyMetadata", "X"]), "1");
    assert.equal(parsed.config.get(["proxyMetadata", "Z"]), "2");
  });
});

describe("what cannot be edited without changing what else it says", () => {
  const cases: readonly [string, string][] = [
    ["a block scalar with its own indentation", "proxyMetadata:\n    BANNER: |4-\n         lead\n"],
    ["an explicit key", "extra:\n    ? |\n      long key\n    : b: 1\n      c: 2\n"],
    ["an escape that ends a line in YAML 1.1", 'a: "x\\Ny"\n'],
  ];
  for (const [name, text] of cases) {
    it(`${name} is left, or says the same afterwards`, () => {
      const parsed = parseProxyConfig(text);
      assert.ok(parsed.ok);
      const edited = editProxyConfig(parsed.config, [{ path: ["terminationDrainDuration"], value: "40s" }]);
      if (edited === undefined) return;
      const before = parse(text, { version: "1.1" }) as object;
      assert.deepEqual(parse(edited, { version: "1.1" }), { ...before, terminationDrainDuration: "40s" });
    });
  }

  it("an ordinary block scalar and its neighbours stay", () => {
    const parsed = parseProxyConfig("a: |\n  one\n   two\nb: c\n");
    assert.ok(parsed.ok);
    const edited = editProxyConfig(parsed.config, [{ path: ["terminationDrainDuration"], value: "40s" }]);
    assert.equal(edited, "a: |\n  one\n   two\nb: c\nterminationDrainDuration: 40s\n");
  });
});
