/**
 * What Istio and kubectl read, this program reads alike; what it edits, they read again with only the new values changed.
 *
 * The texts are made of pieces that readers disagree about. ORACLE_RUNS and ORACLE_SEED make more and others of them.
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { isObject, type JsonObject, type JsonValue, sameJson } from "../../src/json/json.ts";
import { editProxyConfig, parseProxyConfig } from "../../src/pod/proxy-config.ts";
import { editYaml } from "../../src/yaml/edit.ts";
import { readYaml } from "../../src/yaml/read.ts";
import { ISTIO } from "./install/pilot-agent.ts";
import { ask, type Verdict, yamlOracle } from "./install/yaml-oracle.ts";

const RUNS = Number(process.env.ORACLE_RUNS ?? 12_000);
const seed = Number(process.env.ORACLE_SEED ?? 1);
const { path, missing } = yamlOracle(ISTIO);

const pieces = fc.constantFrom(
  ...[
    "a",
    "b: ",
    "k:",
    "- ",
    "-",
    "? ",
    ": ",
    "[",
    "]",
    "{",
    "}",
    ",",
    ", ",
    "'",
    '"',
    "'x'",
    '"y"',
    "|",
    ">",
    "|-",
    ">+",
    "|2",
  ],
  ...[
    "#",
    " # c",
    "\n",
    "\n",
    "\n  ",
    "\n    ",
    " ",
    "  ",
    "\t",
    "\r",
    "\r\n",
    "\u0085",
    "\u2028",
    "&a ",
    "*a",
    "*a ",
    "!!str ",
  ],
  ...[
    "! ",
    "!x ",
    "<<: ",
    "---",
    "\n---\n",
    "\n...\n",
    "%",
    "@",
    "1",
    "0x1F",
    "017",
    "08",
    "1_000",
    "1e3",
    ".5",
    ".inf",
    "yes",
  ],
  ...[
    "~",
    "null",
    "\\",
    "\\n",
    "\\\n",
    "2026-11-30",
    "1:30",
    "two words",
    "x\ny",
    "12345678901234567890",
    "-0",
    "+5",
    "0b11",
  ],
  ...[
    "é",
    "a: b\n",
    "  c: d\n",
    "- e\n",
    "t: |\n  text\n  more\n",
    "f: >\n  f\n\n   g\n",
    "l: [a, b]\n",
    "'q\n r'",
    '"q\n\n r"',
  ],
);
const anything = fc.array(pieces, { minLength: 1, maxLength: 14 }).map((parts) => parts.join(""));

const scalar = fc.constantFrom(
  ...[
    "b",
    "'x y'",
    '"\\u00e9\\n"',
    "0x1F",
    "1_000",
    "yes",
    "~",
    "",
    "08",
    "1e3",
    "12345678901234567890",
    "2026-11-30",
    "1:30",
  ],
  ...[
    "|\n    one\n     two\n",
    "|-\n    one\n",
    ">+\n    one\n\n    two\n\n",
    "|2\n     lead",
    "'a\n  b'",
    '"a\\\n  b"',
    "two\n    lines",
  ],
  ...[
    "&n 3",
    "*m",
    "[a, 'b', 3]",
    "{x: y, z: {}}",
    "[\na,\nb\n]",
    "\n    n: o\n    p: [q]\n",
    "\n  - r\n  - s\n",
    "!!str 3",
    "t # c",
  ],
);
const field = fc.constantFrom(
  ...[
    "a",
    "terminationDrainDuration",
    "termination_drain_duration",
    "drainDuration",
    "runtimeValues",
    "'q'",
    '"r s"',
    "unknown",
  ],
  ...[
    "concurrency",
    "holdApplicationUntilProxyStarts",
    "proxyMetadata",
    "proxy_metadata",
    "extraStatTags",
    "? x\n",
    "<<",
  ],
);
const lineEnd = fc.constantFrom("\n", "\n", "\n", "\r\n", "\r");
const start = fc.constantFrom("", "", "# top\n", "---\n", "m: &m {A: b}\n", "m: &m\n  A: '1'\nn: *m\n", "\ufeff");
const annotation = fc.oneof(
  fc
    .tuple(start, fc.array(fc.tuple(field, scalar), { maxLength: 6 }), lineEnd, fc.boolean())
    .map(([top, pairs, end, isOpen]) => {
      const text = top + pairs.map(([name, value]) => `${name}: ${value}\n`).join("");
      return (isOpen ? text.replace(/\n$/, "") : text).replaceAll("\n", end);
    }),
  fc
    .dictionary(field, fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.string())))
    .map((value) => JSON.stringify(value)),
  anything,
);

/** Garbage behind a document's value, and further documents, are not read by Go; here they are refused. */
const IS_BEHIND = /behind the document's value|more than one YAML document|two anchors or tags/;
/** Keys of numbers are printed with 32 bits, large fractions as integers, and merges of `!` go another way. */
const IS_ODD = /!\s*<<|[0-9]{8}[^\n]*:|\?[^\n]*[0-9]{8}|[0-9]{8}[0-9_]*(?:[.eE])/;

function disagreements(texts: readonly string[], verdicts: readonly Verdict[]): string[] {
  return texts.flatMap((text, index) => {
    const theirs = verdicts[index] ?? { error: "no answer" };
    const ours = readYaml(text);
    if ((!ours.ok && IS_BEHIND.test(ours.reason)) || IS_ODD.test(text)) return [];
    // Go ends a document behind a value that stands alone, and looks no further.
    const isAlone = "value" in theirs && /^(?:[^[{].*|\[\]|\{\})$/.test(JSON.stringify(theirs.value));
    if (!ours.ok && /a key/.test(ours.reason) && isAlone) return [];
    const isSame = "error" in theirs ? !ours.ok : ours.ok && sameJson(ours.value, theirs.value as JsonValue);
    return isSame ? [] : [JSON.stringify([text, theirs, ours.ok ? ours.value : ours.reason])];
  });
}

describe("the oracle", { skip: missing }, () => {
  const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { numRuns: RUNS, seed });
  let annotations: string[] = [];
  let accepted: readonly (readonly [text: string, value: JsonObject])[] = [];

  before(() => {
    annotations = sample(annotation);
    const verdicts = ask(
      path,
      annotations.map((text) => ({ as: "proxy" as const, text })),
    );
    accepted = annotations.flatMap((text, index) => {
      const verdict = verdicts[index];
      return verdict && "value" in verdict && !("error" in verdict)
        ? [[text, verdict.value as JsonObject] as const]
        : [];
    });
    assert.ok(accepted.length > RUNS / 10, `Istio takes only ${accepted.length} of ${RUNS}`);
  });

  it("reads documents as Kubernetes does", () => {
    const texts = [...sample(anything), ...annotations];
    const verdicts = ask(
      path,
      texts.map((text) => ({ as: "yaml" as const, text })),
    );
    assert.deepEqual(disagreements(texts, verdicts).slice(0, 5), []);
  });

  it("edits annotations so that Istio reads every other value as before", (t) => {
    const edited = accepted.flatMap(([text, value]) => {
      const parsed = parseProxyConfig(text);
      if (!parsed.ok) return [];
      const after = editProxyConfig(parsed.config, [
        { path: ["terminationDrainDuration"], value: "40s" },
        { path: ["proxyMetadata", "MINIMUM_DRAIN_DURATION"], value: "5s" },
        { path: ["proxyStatsMatcher", "inclusionSuffixes"], value: ["downstream_rq_active"] },
      ]);
      return after === undefined ? [] : [{ text, value, after }];
    });
    t.diagnostic(`${edited.length} of ${accepted.length} that Istio takes are edited, the others left alone`);
    assert.ok(edited.length > accepted.length * 0.7);
    const verdicts = ask(
      path,
      edited.map(({ after: text }) => ({ as: "proxy" as const, text })),
    );
    const wrong = edited.filter(({ value }, index) => {
      const metadata = isObject(value.proxyMetadata) ? value.proxyMetadata : {};
      const wanted = {
        ...value,
        terminationDrainDuration: "40s",
        proxyMetadata: { ...metadata, MINIMUM_DRAIN_DURATION: "5s" },
        proxyStatsMatcher: { inclusionSuffixes: ["downstream_rq_active"] },
      };
      const verdict = verdicts[index];
      return verdict === undefined || "error" in verdict || !sameJson(verdict.value as JsonValue, wanted);
    });
    assert.deepEqual(wrong.slice(0, 3), []);
  });

  it("edits documents so that Kubernetes reads every other value as before", () => {
    const edited = annotations.flatMap((text) => {
      const read = readYaml(text);
      if (!read.ok || !isObject(read.value)) return [];
      const wanted = { ...read.value, a: { b: ["yes", "1_0"] } };
      const after = editYaml(read, wanted);
      return after === undefined ? [] : [{ text, wanted, after }];
    });
    assert.ok(edited.length > RUNS / 5, `only ${edited.length}`);
    const verdicts = ask(
      path,
      edited.map(({ after: text }) => ({ as: "yaml" as const, text })),
    );
    const wrong = edited.filter(({ text, wanted }, index) => {
      const verdict = verdicts[index];
      return (
        !IS_ODD.test(text) &&
        (verdict === undefined || "error" in verdict || !sameJson(verdict.value as JsonValue, wanted))
      );
    });
    assert.deepEqual(wrong.slice(0, 3), []);
  });

  it("tells what Istio's decoder refuses of the fields that it knows", () => {
    const values = [
      "'true'",
      "{value: true}",
      "{seconds: 30}",
      "[x]",
      "true",
      "2",
      "2.5",
      "'2'",
      "x",
      "5s",
      "~",
      "99999999999",
    ];
    const names = [
      "holdApplicationUntilProxyStarts",
      "concurrency",
      "statusPort",
      "terminationDrainDuration",
      "discoveryAddress",
    ];
    const texts = names.flatMap((name) => values.map((value) => `${name}: ${value}\n`));
    const verdicts = ask(
      path,
      texts.map((text) => ({ as: "proxy" as const, text })),
    );
    const silent = texts.filter((text, index) => {
      const parsed = parseProxyConfig(text);
      const isTold = !parsed.ok || parsed.config.refused !== undefined;
      const isRefused = "error" in (verdicts[index] ?? {});
      // A duration without its unit has a notice of its own.
      return isTold !== isRefused && !/Duration: (?:'|[0-9x])/.test(text);
    });
    assert.deepEqual(silent, []);
  });
});
