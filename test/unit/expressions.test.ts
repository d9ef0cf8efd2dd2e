/**
 * No regular expression of src/ takes more than linear time, whatever the text: one that did held a replica for 33 s.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { LABEL_KEY_PATTERN } from "../../src/policy/selector-schema.ts";
import { DURATION_PATTERN } from "../../src/units/duration.ts";
import { QUANTITY_PATTERN } from "../../src/units/quantity.ts";
import { builtExpressions, builtLate, type Expression, literalsOf, sources } from "./expressions/collect.ts";
import { superLinear } from "./expressions/growth.ts";

const literals = sources.flatMap((file) => literalsOf(file, readFileSync(file, "utf8")));

const built = await builtExpressions();

describe("every regular expression of src/", () => {
  it("takes time in proportion to its text", () => {
    const different = new Map<string, Expression>();
    for (const one of [...built, ...literals]) different.set(`/${one.source}/${one.flags}`, one);
    const slow = [...different].flatMap(([shown, { where, source, flags }]) => {
      const text = superLinear(source, flags);
      return text === undefined ? [] : [`${where}: ${shown} on ${JSON.stringify(text)}`];
    });
    assert.deepEqual(slow, []);
  });

  it("is a literal, or built while its module is loaded, where this test sees it", () => {
    assert.deepEqual(
      sources.flatMap((file) => builtLate(readFileSync(file, "utf8")).map((text) => `${file}: ${text}`)),
      [],
    );
  });

  it("is found at all", () => {
    assert.ok(literals.length > 100, `only ${literals.length}`);
    for (const pattern of [LABEL_KEY_PATTERN, DURATION_PATTERN, QUANTITY_PATTERN]) {
      assert.ok(
        built.some(({ source }) => source === pattern),
        pattern,
      );
    }
  });
});

describe("the search for slow expressions", () => {
  const slow: readonly [string, RegExp][] = [
    ["two repetitions of the same character", /^(?:[0-9]+\.?[0-9]*s)+$/],
    ["a repetition that can begin anywhere", /[0-9.]+[a-z]+/],
    ["spaces at the end", /[ \t]+$/],
    ["white space at the start of any line", /^\s*\?/m],
    ["a line that is looked for again from each of its characters", /^( *)[^ #\n-][^\n]*:[ \t]*\r?\n\1- /m],
    ["nested repetitions", /^(?:a+)+$/],
    ["alternatives that take the same", /^(?:a|a)*$/],
    ["an end that is looked for again from each start", /"kind":\s*"\w*List"|\{\{.*\}\}/],
    ["all matches, each looking to the end", /x(?=.*y)/g],
  ];
  for (const [name, { source, flags }] of slow) {
    it(`finds ${name}`, () => assert.notEqual(superLinear(source, flags), undefined));
  }

  for (const quick of [
    /^[0-9]+$/,
    /^(?:.*\/)?sleep$/,
    /([0-9]+)(?:\.([0-9]+))?([a-zµ]*)/y,
    /[\\"\n]/g,
    /^[a-z]{1,63}$/,
  ]) {
    it(`takes ${quick} for linear`, () => assert.equal(superLinear(quick.source, quick.flags), undefined));
  }
});

describe("the collection of expressions", () => {
  it("tells a division from an expression", () => {
    const found = literalsOf("a.ts", "const a: number = 4 / 2 / 1; const b = [/x\\/y/g, f(/z/)]; // /no/");
    assert.deepEqual(
      found.map(({ source, flags }) => `${source} ${flags}`),
      ["x\\/y g", "z "],
    );
  });
  it("finds one that is built in a function", () => {
    assert.deepEqual(builtLate('const a = new RegExp("a"); function f() { return RegExp("b"); }'), ['RegExp("b")']);
  });
});
