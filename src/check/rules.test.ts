/**
 * Every rule on its own examples: it fires on the bad ones and nothing else does, nothing fires on the good ones, and
 * what can be mended is clean afterwards with its comments in place.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseManifest } from "../manifests/document.ts";
import { chunksOf } from "../manifests/stream.ts";
import { meshConfigOf } from "../policy/mesh-config.ts";
import { snapshotOf } from "../policy/snapshot.ts";
import { type Policy, policyObject, validatePolicy } from "../policy/validate.ts";
import { repaired } from "./fix.ts";
import { inventoryOf } from "./inventory.ts";
import type { Rule } from "./rule.ts";
import { rules } from "./rules.ts";
import { type PlacedFinding, runRules } from "./run.ts";

function run(text: string, rule: Rule, policies: readonly Policy[] = []) {
  const manifests = [...chunksOf(text)].map((chunk) => {
    const manifest = parseManifest(chunk);
    assert.ok(manifest.ok, manifest.ok ? "" : `${manifest.reason}\n${text}`);
    return manifest;
  });
  const inventory = inventoryOf(
    manifests.map((manifest) => ({ file: "example.yaml", manifest })),
    {
      snapshot: snapshotOf(policies, "gracegate", rule.mesh && meshConfigOf(rule.mesh)),
      hcImage: "registry.example/gracegate:1",
      gatewayTemplates: ["gateway"],
      namespace: "default",
      role: undefined,
    },
  );
  const results = runRules(inventory, rules);
  const texts = repaired(results);
  const fixed = manifests.map((manifest) => texts.get(manifest) ?? manifest.chunk.text).join("");
  return { results, fixed };
}

const idsOf = (results: readonly PlacedFinding[]) => [...new Set(results.map(({ rule }) => rule))];

for (const rule of rules) {
  describe(rule.id, () => {
    for (const [index, text] of rule.examples.bad.entries()) {
      it(`fires on its bad example ${index + 1}, and nothing else does`, () => {
        const { results } = run(text, rule);
        assert.deepEqual(idsOf(results), [rule.id], JSON.stringify(results.map(({ message }) => message)));
        for (const { message, line, severity } of results) {
          assert.match(message, /\.$/);
          assert.ok(line >= 1);
          assert.equal(severity, rule.severity);
        }
      });

      it(`its bad example ${index + 1} is clean after --fix, where that mends it, and keeps its comments`, () => {
        const { results, fixed } = run(text, rule);
        const comments = text.match(/#.*$/gm) ?? [];
        for (const comment of comments) assert.ok(fixed.includes(comment), comment);
        if (results.every(({ repair }) => repair !== undefined)) assert.deepEqual(run(fixed, rule).results, []);
        else if (results.every(({ repair }) => repair === undefined)) assert.equal(fixed, text);
      });
    }
    for (const [index, text] of rule.examples.good.entries()) {
      it(`nothing fires on its good example ${index + 1}`, () => {
        const { results } = run(text, rule);
        assert.deepEqual(
          results.map(({ rule: id, message }) => `${id}: ${message}`),
          [],
        );
      });
    }
  });
}

it("rules have names of their own and say what they are", () => {
  assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length);
  for (const { id, title, reason, fix, examples } of rules) {
    assert.match(id, /^[a-z]+(-[a-z]+)*$/);
    assert.match(title, /\.$/);
    assert.ok(reason.length > 40 && fix.length > 10 && examples.bad.length > 0 && examples.good.length > 0, id);
  }
});

describe("where the policy switches hc off", () => {
  const validated = validatePolicy(policyObject("default", "gracegate", { gateway: { hc: { enabled: false } } }));
  assert.ok(validated.ok);
  const { policy } = validated;
  const aboutHc = [
    "quota-refuses-hc",
    "limit-range-refuses-hc",
    "network-policy-hides-hc",
    "publish-not-ready",
    "hc-service-missing",
  ];
  for (const rule of rules.filter(({ id }) => aboutHc.includes(id))) {
    it(`${rule.id} says nothing`, () => {
      for (const text of rule.examples.bad) assert.ok(!idsOf(run(text, rule, [policy]).results).includes(rule.id));
    });
  }
});
