/**
 * Whatever a document holds and whatever changes in it: the new text means the new value, and it is edited in place.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { stringify } from "yaml";
import { isObject, type JsonObject, type JsonValue, sameJson } from "../pod/json.ts";
import { type Manifest, parseManifest } from "./document.ts";
import { rewrite } from "./rewrite.ts";

const word = fc.constantFrom(
  "a",
  "b",
  "name",
  "env",
  "spec",
  "on",
  "36",
  "x/y",
  "k: v",
  "# no",
  "",
  "é",
  "two\nlines\n",
);
const leaf = fc.oneof(
  word,
  fc.integer({ min: -5, max: 99 }),
  fc.boolean(),
  fc.constant(null),
  fc.string({ maxLength: 6 }),
);
const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.dictionary(word, tie("tree"), { maxKeys: 4, noNullPrototype: true }),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc
      .uniqueArray(fc.constantFrom("app", "istio-proxy", "hc", "web"), { maxLength: 3 })
      .chain((names) => fc.tuple(...names.map((name) => tie("tree").map((value) => ({ name, value }))))),
  ) as fc.Arbitrary<JsonValue>,
}));
const object = fc.dictionary(word, tree, { minKeys: 1, maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonObject>;

/** Random choices, one after the other. */
type Dice = (sides: number) => number;

/** Changes a value a little: keys and elements come, go and become others. */
function changed(value: JsonValue, spare: JsonValue, dice: Dice): JsonValue {
  if (dice(6) === 0) return spare;
  if (isObject(value)) {
    const entries = Object.entries(value)
      .filter(() => dice(5) > 0)
      .map(([key, field]) => [key, dice(2) === 0 ? field : changed(field, spare, dice)] as const);
    return Object.fromEntries(dice(3) === 0 ? [...entries, ["added", spare]] : entries);
  }
  if (Array.isArray(value)) {
    const list = value.filter(() => dice(6) > 0).map((item) => (dice(2) === 0 ? item : changed(item, spare, dice)));
    return dice(3) === 0 ? [...list, spare] : list;
  }
  return value;
}

const styles: readonly ((value: JsonValue) => string)[] = [
  (value) => stringify(value, { version: "1.1" }),
  (value) => stringify(value, { version: "1.1", indentSeq: false, lineWidth: 0 }),
  (value) => stringify(value, { version: "1.1" }).replaceAll("\n", "\r\n"),
  (value) => stringify(value, { version: "1.1", collectionStyle: "flow", lineWidth: 40 }),
  (value) => stringify(value, { version: "1.1" }).trimEnd(),
  (value) => `---  # a comment\n# another\n${stringify(value, { version: "1.1", lineWidth: 0 })}# at the end\n`,
  (value) => JSON.stringify(value),
  (value) => `${JSON.stringify(value, undefined, 2)}\n`,
  (value) => `${JSON.stringify(value, undefined, "\t")}\n`,
];

function manifestOf(text: string): Manifest | undefined {
  const parsed = parseManifest({ text, line: 1 });
  return parsed.ok && isObject(parsed.value) ? parsed : undefined;
}

test("the new text means the new value", () => {
  let inPlace = 0;
  let whole = 0;
  const samples = fc.tuple(object, leaf, fc.nat(styles.length - 1), fc.infiniteStream(fc.nat(59)));
  fc.assert(
    fc.property(samples, ([before, spare, style, choices]) => {
      const manifest = manifestOf((styles[style] ?? stringify)(before));
      fc.pre(manifest !== undefined);
      const dice: Dice = (sides) => (choices.next().value as number) % sides;
      const after = changed(manifest.value, spare, dice);
      fc.pre(isObject(after));
      const result = rewrite(manifest, after);
      if (sameJson(manifest.value, after)) assert.equal(result.text, manifest.chunk.text);
      assert.ok(
        readsAs(result.text, after),
        `${manifest.chunk.text}\n=>\n${result.text}\n!=\n${JSON.stringify(after)}`,
      );
      if (result.whole) whole++;
      else inPlace++;
    }),
    { numRuns: 1000 },
  );
  assert.ok(inPlace > whole * 5, `${inPlace} in place, ${whole} as a whole`);
});

/** Whether a text means a value. */
function readsAs(text: string, value: JsonValue): boolean {
  const parsed = parseManifest({ text, line: 1 });
  return parsed.ok && sameJson(parsed.value, value);
}
